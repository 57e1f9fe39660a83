// verdict: race line: 48
// The exponentials are divided in a second stream, which does not wait for the first one.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                  \
  do {                                                               \
    const cudaError_t error = call;                                  \
    if (error != cudaSuccess) {                                      \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

__device__ float largest(const float *row, int columns) {
  float most = row[0];
  for (int i = 1; i < columns; ++i) most = fmaxf(most, row[i]);
  return most;
}

// One thread for each row: slow and right.
__global__ void exponentials(const float *in, float *out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float *mine = in + (size_t)row * columns;
  const float most = largest(mine, columns);
  for (int i = 0; i < columns; ++i) out[(size_t)row * columns + i] = expf(mine[i] - most);
}

__global__ void divide(float *out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float *mine = out + (size_t)row * columns;
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += mine[i];
  for (int i = 0; i < columns; ++i) mine[i] /= sum;
}

void softmax(const float *in, float *out, int rows, int columns) {
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreate(&second));
  const int blocks = (rows + 63) / 64;

  exponentials<<<blocks, 64, 0, first>>>(in, out, rows, columns);
  CHECK(cudaGetLastError());

  divide<<<blocks, 64, 0, second>>>(out, rows, columns);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
}
