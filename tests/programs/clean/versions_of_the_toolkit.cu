// run:
// prints: 900 900 1, nothing 900 1, the same versions\n
#include <cstdio>
#include <cuda.h>

#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 11 || CUDART_VERSION < 11000 || CUDA_VERSION < 11000
#error "this needs nvcc of CUDA 11 or newer"
#endif
#define VERSIONS __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__, CUDART_VERSION, CUDA_VERSION

__host__ __device__ int arch() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return 0;
#endif
}

__host__ __device__ int lowest() {
  const int list[] = {__CUDA_ARCH_LIST__};
  return list[0];
}

__global__ void tell(int *out) {
  const int versions[] = {VERSIONS};
  if (threadIdx.x < 5) out[threadIdx.x] = versions[threadIdx.x];
  if (threadIdx.x == 5) out[5] = arch();
  if (threadIdx.x == 6) out[6] = lowest();
}

int main() {
  const int own[] = {VERSIONS};
  int h[7], *d;
  cudaMalloc(&d, sizeof(h));
  tell<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  bool same = true;
  for (int i = 0; i < 5; ++i) same = same && own[i] == h[i];
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  same = same && runtime == CUDART_VERSION;
  printf("%d %d %d, %s %d %d, %s\n", h[5], h[6], h[5] == h[6], arch() == 0 ? "nothing" : "something", lowest(), lowest() == h[6],
         same ? "the same versions" : "other versions");
  cudaFree(d);
}
