// verdict: compile-error line: 4
#include "transpose.cuh"

int main() { return twice(0); }
// ==== transpose.cuh ====
#pragma once
#include <cuda_runtime.h>

int twice(int one) { return 2 * one; }

void transpose(const float* from, float* to, int rows, int columns);
