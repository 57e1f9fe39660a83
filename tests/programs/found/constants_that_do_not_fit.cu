// copy-size in line 16:
// says: mask
#include <cstdio>

__constant__ float mask[9];

__global__ void total(float *out) {
  float sum = 0;
  for (int i = 0; i < 9; ++i) sum += mask[i];
  *out = sum;
}

int main() {
  float given[25] = {1, 2, 3}, *out, result;
  cudaMalloc(&out, sizeof(float));
  cudaMemcpyToSymbol(mask, given, sizeof(given));
  total<<<1, 1>>>(out);
  cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", result);
  cudaFree(out);
}
