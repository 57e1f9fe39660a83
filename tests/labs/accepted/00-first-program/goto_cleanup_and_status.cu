// The host code of NVIDIA's templates: a helper function that returns cudaError_t, one exit, a reset of the device at the end.
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

cudaError_t addWithCuda(float* c, const float* a, const float* b, unsigned int size);

__global__ void addKernel(float* c, const float* a, const float* b, unsigned int size) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < size) {
    c[i] = a[i] + b[i];
    i += blockDim.x * gridDim.x;
  }
}

int main(int argc, char** argv) {
  struct stat about;
  stat(argv[1], &about);
  const unsigned int n = about.st_size / sizeof(float);
  float* a = new float[n];
  float* b = new float[n];
  float* c = new float[n]();
  FILE* f = fopen(argv[1], "rb");
  if (fread(a, 1, 4 * n, f) != 4 * n) return 9;
  fclose(f);
  f = fopen(argv[2], "rb");
  if (fread(b, 1, 4 * n, f) != 4 * n) return 9;
  fclose(f);

  cudaError_t cudaStatus = addWithCuda(c, a, b, n);
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "addWithCuda failed!\n");
    return 1;
  }
  f = fopen(argv[3], "wb");
  for (unsigned int i = 0; i < n; ++i) fwrite(&c[i], 4, 1, f);
  fclose(f);
  delete[] a;
  delete[] b;
  delete[] c;

  cudaStatus = cudaDeviceReset();
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "cudaDeviceReset failed!\n");
    return 1;
  }
  return 0;
}

cudaError_t addWithCuda(float* c, const float* a, const float* b, unsigned int size) {
  float* dev_a = 0;
  float* dev_b = 0;
  float* dev_c = 0;
  cudaError_t cudaStatus;

  cudaStatus = cudaSetDevice(0);
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMalloc((void**)&dev_c, size * sizeof(float));
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMalloc((void**)&dev_a, size * sizeof(float));
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMalloc((void**)&dev_b, size * sizeof(float));
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMemcpy(dev_a, a, size * sizeof(float), cudaMemcpyHostToDevice);
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMemcpy(dev_b, b, size * sizeof(float), cudaMemcpyHostToDevice);
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMemset(dev_c, 0, size * sizeof(float));
  if (cudaStatus != cudaSuccess) goto Error;

  addKernel<<<16, 1024>>>(dev_c, dev_a, dev_b, size);
  cudaStatus = cudaGetLastError();
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "addKernel launch failed: %s\n", cudaGetErrorString(cudaStatus));
    goto Error;
  }
  cudaStatus = cudaDeviceSynchronize();
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMemcpy(c, dev_c, size * sizeof(float), cudaMemcpyDeviceToHost);

Error:
  cudaFree(dev_c);
  cudaFree(dev_a);
  cudaFree(dev_b);
  return cudaStatus;
}
