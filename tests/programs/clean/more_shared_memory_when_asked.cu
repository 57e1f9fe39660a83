// run:
// prints: without: invalid argument\ntoo much: invalid argument\nwith: no error, 299 down to 0\n
#include <cstdio>

// Turns x round. What does not fit into 48 KiB lies in the same array.
__global__ void reversed(int *x, int n, int apart) {
  extern __shared__ int tile[];
  int i = threadIdx.x;
  tile[i * apart] = x[i];
  __syncthreads();
  x[i] = tile[(n - 1 - i) * apart];
}

int main() {
  const int n = 300, apart = 193;
  const int bytes = n * apart * sizeof(int);  // 231600, a little less than 227 KiB
  int h[n], *x;
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaMalloc(&x, sizeof(h));
  cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);

  reversed<<<1, n, bytes>>>(x, n, apart);
  printf("without: %s\n", cudaGetErrorString(cudaGetLastError()));
  cudaError_t error = cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1);
  printf("too much: %s\n", cudaGetErrorString(error));
  cudaGetLastError();
  error = cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return 1;
  reversed<<<1, n, bytes>>>(x, n, apart);
  error = cudaGetLastError();
  cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost);
  printf("with: %s, %d down to %d\n", cudaGetErrorString(error), h[0], h[n - 1]);
  cudaFree(x);
  return 0;
}
