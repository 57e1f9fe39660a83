// run:
// prints: 3 4\n
#include <cstdio>

__global__ void add(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

// Each buffer is filled again only after its stream has done with it; the other half is free to change.
int main() {
  const int n = 1000;
  int *page[2], *x[2];
  cudaStream_t stream[2];
  for (int k = 0; k < 2; ++k) {
    cudaMallocHost(&page[k], 2 * n * sizeof(int));
    cudaMalloc(&x[k], n * sizeof(int));
    cudaStreamCreate(&stream[k]);
  }
  for (int round = 0; round < 4; ++round) {
    const int k = round % 2;
    cudaStreamSynchronize(stream[k]);
    for (int i = 0; i < n; ++i) page[k][i] = round;
    cudaMemcpyAsync(x[k], page[k], n * sizeof(int), cudaMemcpyHostToDevice, stream[k]);
    const int seen = page[k][0];
    page[k][n] = seen;
    add<<<4, 256, 0, stream[k]>>>(x[k], n);
    cudaMemcpyAsync(page[k], x[k], n * sizeof(int), cudaMemcpyDeviceToHost, stream[k]);
  }
  cudaDeviceSynchronize();
  printf("%d %d\n", page[0][0], page[1][0]);
  for (int k = 0; k < 2; ++k) {
    cudaFreeHost(page[k]);
    cudaFree(x[k]);
    cudaStreamDestroy(stream[k]);
  }
}
