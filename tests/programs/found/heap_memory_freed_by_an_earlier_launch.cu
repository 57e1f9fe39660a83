// out-of-bounds in line 8:
// says: earlier launch,freed
#include <cstdio>

__device__ int *kept;
__global__ void make() { kept = new int[4]{1, 2, 3, 4}; }
__global__ void drop() { delete[] kept; }
__global__ void look(int *out) { out[threadIdx.x] = kept[threadIdx.x]; }

int main() {
  int h[4], *d;
  cudaMalloc(&d, sizeof(h));
  make<<<1, 1>>>();
  drop<<<1, 1>>>();
  look<<<1, 4>>>(d);
  if (cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost) == cudaSuccess) printf("%d\n", h[0]);
  cudaFree(d);
}
