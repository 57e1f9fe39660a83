// uninitialized-read in line 8:
// says: no thread has written
#include <cstdio>

__device__ int *kept;
__global__ void make() { kept = static_cast<int *>(malloc(8 * sizeof(int))); }
__global__ void fill() { kept[threadIdx.x] = threadIdx.x; }
__global__ void look(int *out) { out[threadIdx.x] = kept[threadIdx.x]; }

int main() {
  int h[8], *d;
  cudaMalloc(&d, sizeof(h));
  make<<<1, 1>>>();
  fill<<<1, 7>>>();
  look<<<1, 8>>>(d);
  if (cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost) == cudaSuccess) printf("%d\n", h[0]);
  cudaFree(d);
}
