// host-crash in line 12:
// says: 40 bytes,before the program ends
#include <cstdio>
#include <vector>

__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
  int* d;
  cudaMalloc(&d, 40);
  cudaMemset(d, 1, 40);
  static std::vector<int>* const kept = new std::vector<int>(10);
  std::vector<int>& x = *kept;
  square<<<1, 10>>>(d);
  cudaMemcpy(x.data(), d, 40, cudaMemcpyDeviceToHost);
  cudaFree(d);
  for (int i = 1; i <= 10; ++i) x[i] += x[i - 1];
  printf("%d\n", x[9]);
}
