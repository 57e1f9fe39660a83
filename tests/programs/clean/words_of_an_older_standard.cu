// run:
// prints: 8 194\n
#include <cstdio>

typedef unsigned char char8_t;  // a keyword since C++20

__global__ void twice(const int *in, int *out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int main() {
  const char *micro = u8"\u00b5";  // text of another type since C++20
  const char8_t first = static_cast<char8_t>(micro[0]);
  int numbers[] = {1, 2, 3, 4}, *in, *out;
  if (cudaMalloc(&in, 16) || cudaMalloc(&out, 16)) return 1;
  if (cudaMemcpy(in, numbers, 16, cudaMemcpyHostToDevice)) return 1;
  twice<<<1, 32>>>(in, out, 4);
  if (cudaGetLastError() || cudaMemcpy(numbers, out, 16, cudaMemcpyDeviceToHost)) return 1;
  std::printf("%d %d\n", numbers[3], first);
  return cudaFree(in) || cudaFree(out);
}
