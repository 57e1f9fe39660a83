// host-crash in line 15:
// says: subscript 64,only the subscripts 0 to 63
#include <cstdio>

constexpr int n = 64;
int h_x[n], h_sums[n];

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

int main() {
  int* d_x;
  cudaMalloc(&d_x, sizeof(h_x));
  cudaMemset(d_x, 0, sizeof(h_x)), twice<<<1, n>>>(d_x);
  cudaMemcpy(h_x, d_x, sizeof(h_x), cudaMemcpyDeviceToHost);
  for (int i = 1; i <= n; ++i) h_sums[i] = h_sums[i - 1] + h_x[i - 1];
  printf("%d\n", h_sums[n - 1]);
  cudaFree(d_x);
}
