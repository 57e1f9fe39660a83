// compile-error in line 4:
// says: CUDA has no `cudaGetErorString`,`cudaGetErrorString`
#include <cstdio>
#define CHECK(call) if (cudaError_t e = (call)) std::printf("%s\n", cudaGetErorString(e))

int main() {
  float *d;
  CHECK(cudaMalloc(&d, 4));
  CHECK(cudaFree(d));
}
