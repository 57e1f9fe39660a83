// run:
// prints: the launch failed\nno error\ninvalid argument\nno error\ndone: 5\n
// Two calls fail on purpose, and the program asks for each error.
#include <cstdio>

__global__ void set(int *x) { *x = 5; }

int main() {
  int *x = nullptr, result = 0;
  if (cudaMalloc(&x, sizeof(int)) != cudaSuccess) return 1;
  set<<<1, 4096>>>(x);
  printf("%s\n", cudaGetLastError() != cudaSuccess ? "the launch failed" : "no error");
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  printf("%s\n", cudaGetErrorString(cudaMemcpy(x, &result, sizeof(int), (cudaMemcpyKind)77) == cudaSuccess ? cudaSuccess : cudaErrorInvalidValue));
  (void)cudaGetLastError();
  printf("%s\n", cudaGetErrorString(cudaPeekAtLastError()));
  set<<<1, 1>>>(x);
  const cudaError_t error = cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return 1;
  printf("done: %d\n", result);
  return cudaFree(x) == cudaSuccess ? 0 : 1;
}
