// check: --kernel vector_sum --grid 4 --block 256 --arg 'float[1000]=random' --arg 'float[1000]=iota' --arg 'float[1000]' --arg int=1000
// A whole program, with the host code that a file of one's own has around a kernel, and a header nobody else has.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <no_such_header_anywhere.h>

#define CHECK(call)                                     \
  do {                                                  \
    if ((call) != cudaSuccess) std::exit(EXIT_FAILURE); \
  } while (false)

static cudaEvent_t start, stop;

__global__ void vector_sum(const float *A, const float *B, float *C, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) C[i] = A[i] + B[i];
}

template <typename T>
T *on_device(const T *host, size_t n) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, n * sizeof(T)));
  CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  float *A = static_cast<float *>(std::calloc(n, sizeof(float)));
  float *dA = on_device(A, n), *dB = on_device(A, n), *dC = on_device(A, n);
  vector_sum<<<(n + 255) / 256, 256>>>(dA, dB, dC, n);
  CHECK(cudaDeviceSynchronize());
  std::printf("done {%d}\n", n);
  return 0;
}
