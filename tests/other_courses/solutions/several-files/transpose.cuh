#pragma once

#include <cuda_runtime.h>

#include <cstdlib>

#define CHECK(call) \
  do { \
    if ((call) != cudaSuccess) std::exit(1); \
  } while (0)

void transpose(const float* from, float* to, int rows, int columns);
