// Softmax of each row of a matrix: out[r][c] = exp(in[r][c]) / (the sum of exp over row r). in and out are rows×columns, row-major, fp32,
// in the memory of the GPU. rows and columns are any sizes from 1. A row's maximum is subtracted first, so that no exp is infinite.
#include <cstdio>

__global__ void softmax_rows(const float* in, float* out, int columns) {
  // TODO: what does a block do, and what does each of its threads?
  // Which number has no effect on a maximum, and which none on a sum? A thread without an element brings these.
}

// A function of the host. It may launch as many kernels as you like, and allocate memory for what they hand on.
void softmax(const float* in, float* out, int rows, int columns) {
  // TODO: launch your kernel, or your kernels one after the other. Then ask for the error of the launch.
}
