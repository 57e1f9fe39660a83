// run:
// prints: checked, no error\n
// As the helper_cuda.h of NVIDIA's samples does, which many projects bring: what it declares depends on the headers that are there.
#include <cstdio>
#include <cstdlib>

#ifdef __DRIVER_TYPES_H__
#define CHECK(call)                        \
  do {                                     \
    if ((call) != cudaSuccess) std::exit(1); \
  } while (0)
#endif
#ifdef __CUDA_RUNTIME_H__
inline const char *last_error() { return cudaGetErrorString(cudaGetLastError()); }
#endif

__global__ void set(int *to) { *to = 1; }

int main() {
  int *d, h = 0;
  CHECK(cudaMalloc(&d, sizeof(int)));
  set<<<1, 1>>>(d);
  CHECK(cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost));
  printf("%s, %s\n", h == 1 ? "checked" : "not set", last_error());
  CHECK(cudaFree(d));
}
