// One address for both sides: managed memory, and a wait before the host looks at it.
#include <cuda_runtime.h>

#include <cassert>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

inline cudaError_t checkCuda(cudaError_t result) {
  if (result != cudaSuccess) {
    std::cerr << "CUDA Runtime Error: " << cudaGetErrorString(result) << std::endl;
    assert(result == cudaSuccess);
  }
  return result;
}

__global__ void vecAdd(float* x, float* y, float* z, size_t n) {
  size_t stride = gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) z[i] = x[i] + y[i];
}

static size_t sizeOf(const char* name) {
  std::ifstream file(name, std::ios::binary | std::ios::ate);
  return static_cast<size_t>(file.tellg());
}

int main(int argc, char* argv[]) {
  size_t bytes = sizeOf(argv[1]);
  size_t n = bytes / sizeof(float);
  float *x, *y, *z;
  checkCuda(cudaMallocManaged(&x, bytes));
  checkCuda(cudaMallocManaged(&y, bytes));
  checkCuda(cudaMallocManaged(&z, bytes));
  std::ifstream(argv[1], std::ios::binary).read(reinterpret_cast<char*>(x), bytes);
  std::ifstream(argv[2], std::ios::binary).read(reinterpret_cast<char*>(y), bytes);

  int device = -1;
  checkCuda(cudaGetDevice(&device));
  cudaDeviceProp properties;
  checkCuda(cudaGetDeviceProperties(&properties, device));
  std::cout << "running on " << properties.name << std::endl;
  vecAdd<<<properties.multiProcessorCount, 256>>>(x, y, z, n);
  checkCuda(cudaGetLastError());
  checkCuda(cudaDeviceSynchronize());

  std::ofstream(argv[3], std::ios::binary).write(reinterpret_cast<const char*>(z), bytes);
  checkCuda(cudaFree(x));
  checkCuda(cudaFree(y));
  checkCuda(cudaFree(z));
  return 0;
}
