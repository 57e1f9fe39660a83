// run:
// prints: 42 42 0 42, host 1\n
// Bodies that only the device's compiler sees: what they write through a pointer counts, and the pointer is not taken for an input.
#include <cstdio>

__host__ __device__ int side() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 300
  return 2;
#else
  return 1;
#endif
}

__global__ void spread(int *x, int n) {
#if __CUDA_ARCH__ >= 700
  for (int i = threadIdx.x + 1; i < n; i += blockDim.x) x[i] = x[0] * (i != 2);
#else
  if (x[0] > n) printf("never\n");
#endif
}

__global__ void doubled(int *x, int n) {
#ifdef __CUDA_ARCH__
  if (threadIdx.x < n && x[threadIdx.x] != 0) atomicAdd(x + threadIdx.x, x[threadIdx.x] * (side() - 1));
#endif
}

int main() {
  const int n = 4;
  int h[n] = {21, 0, 0, 0}, *d;
  cudaMalloc(&d, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  spread<<<1, 32>>>(d, n);
  doubled<<<1, 32>>>(d, n);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d %d %d %d, host %d\n", h[0], h[1], h[2], h[3], side());
  cudaFree(d);
}
