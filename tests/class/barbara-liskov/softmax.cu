// Softmax of each row of a matrix: out[r][c] = exp(in[r][c]) / (the sum of exp over row r). in and out are rows×columns, row-major, fp32,
// in the memory of the GPU. rows and columns are any sizes from 1. A row's maximum is subtracted first, so that no exp is infinite.
#include <cstdio>

__global__ void softmax_rows(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = in + (size_t)row * columns;
  float most = x[0], sum = 0.0f;
  for (int c = 1; c < columns; ++c) most = fmaxf(most, x[c]);
  for (int c = 0; c < columns; ++c) sum += expf(x[c] - most);
  for (int c = 0; c < columns; ++c) out[(size_t)row * columns + c] = expf(x[c] - most) / sum;
}

void softmax(const float* in, float* out, int rows, int columns) {
  softmax_rows<<<(rows + 63) / 64, 64>>>(in, out, rows, columns);
  if (const cudaError_t error = cudaGetLastError()) std::printf("%s\n", cudaGetErrorString(error));
}
