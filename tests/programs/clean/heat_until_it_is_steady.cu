// run:
// prints: steady, middle 50.0\n
// The host looks at one number after each hundred steps and decides whether to go on.
#include <cstdio>
#include <cstdlib>
#include <utility>

#define CUDA(call)                                                                                     \
  if (cudaError_t e = (call)) {                                                                        \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e));                                 \
    exit(1);                                                                                           \
  }

__global__ void step(const float *from, float *to, int n, float *change) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i == n - 1) to[i] = from[i];
  if (i > 0 && i < n - 1) {
    to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    const float mine = fabsf(to[i] - from[i]);
    atomicMax((int *)change, __float_as_int(mine));
  }
}

int main() {
  const int n = 17;
  float start[n] = {}, *from, *to, *change, change_now = 1;
  start[n - 1] = 100;
  CUDA(cudaMalloc(&from, sizeof start));
  CUDA(cudaMalloc(&to, sizeof start));
  CUDA(cudaMalloc(&change, sizeof(float)));
  CUDA(cudaMemcpy(from, start, sizeof start, cudaMemcpyHostToDevice));
  while (change_now > 1e-4f) {
    for (int k = 0; k < 100; ++k) {
      CUDA(cudaMemsetAsync(change, 0, sizeof(float)));
      step<<<1, 32>>>(from, to, n, change);
      CUDA(cudaGetLastError());
      std::swap(from, to);
    }
    CUDA(cudaMemcpy(&change_now, change, sizeof(float), cudaMemcpyDeviceToHost));
  }
  CUDA(cudaMemcpy(start, from, sizeof start, cudaMemcpyDeviceToHost));
  printf("steady, middle %.1f\n", start[n / 2]);
  CUDA(cudaFree(from));
  CUDA(cudaFree(to));
  CUDA(cudaFree(change));
  return 0;
}
