// run:
// prints: 7 5 3 1 of 4, 7 3\n
#include <cstdio>

__constant__ const int odd[4] = {7, 5, 3, 1};
static __device__ const float weights[2] = {3.5f, 1.5f};

__global__ void pick(int *x) { x[threadIdx.x] = odd[threadIdx.x & 3] + (weights[threadIdx.x & 1] < 1.0f ? 100 : 0); }

__global__ void twice(int *x) { x[threadIdx.x] = static_cast<int>(2 * weights[threadIdx.x]); }

int main() {
  int h[6], *x;
  cudaMalloc(&x, sizeof(h));
  pick<<<1, 4>>>(x);
  pick<<<1, 4>>>(x);
  twice<<<1, 2>>>(x + 4);
  cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d %d %d %d of 4, %d %d\n", h[0], h[1], h[2], h[3], h[4], h[5]);
  cudaFree(x);
  return 0;
}
