// partly-set in line 21:
// says: 5 of them,`d_sums[5]`,5 blocks,each write one element,line 20
#include <cstdio>

__global__ void sum(const int* x, int* sums) {
  __shared__ int part[64];
  part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x] + x[blockIdx.x * 128 + threadIdx.x + 64];
  __syncthreads();
  for (int s = 32; s >= 1; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main() {
  const int n = 640, blocks = n / 64;
  int *d_x, *d_sums, x[n] = {1}, sums[blocks], total = 0;
  cudaMalloc(&d_x, sizeof(x)), cudaMalloc(&d_sums, sizeof(sums)), cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  sum<<<blocks / 2, 64>>>(d_x, d_sums);
  cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost);
  for (int one : sums) total += one;
  printf("%d\n", total);
  cudaFree(d_x), cudaFree(d_sums);
}
