// verdict: wrong-answer
// Softmax over the columns of the matrix.
#include <cstdio>

__global__ void softmax_columns(const float* in, float* out, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float most = -INFINITY, sum = 0.0f;
  for (int r = 0; r < rows; ++r) most = fmaxf(most, in[r * columns + c]);
  for (int r = 0; r < rows; ++r) sum += expf(in[r * columns + c] - most);
  for (int r = 0; r < rows; ++r) out[r * columns + c] = expf(in[r * columns + c] - most) / sum;
}

void softmax(const float* in, float* out, int rows, int columns) {
  softmax_columns<<<(columns + 255) / 256, 256>>>(in, out, rows, columns);
  if (cudaGetLastError() != cudaSuccess) std::puts("softmax: the launch failed");
}
