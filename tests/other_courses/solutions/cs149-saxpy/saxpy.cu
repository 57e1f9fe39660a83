// A student's file of such a course, in its interface: result = alpha * x + y for arrays on the host.
#include <stdio.h>

#include <cuda.h>
#include <cuda_runtime.h>
#include <driver_functions.h>

#include "CycleTimer.h"

float gigabytesPerSecond(int bytes, float seconds) { return static_cast<float>(bytes) / (1024. * 1024. * 1024.) / seconds; }

__global__ void saxpy_kernel(int N, float alpha, float* x, float* y, float* result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) result[i] = alpha * x[i] + y[i];
}

void saxpyCuda(int N, float alpha, float* xarray, float* yarray, float* resultarray) {
  int totalBytes = sizeof(float) * 3 * N;
  const int threadsPerBlock = 512;
  const int blocks = (N + threadsPerBlock - 1) / threadsPerBlock;

  float* device_x = nullptr;
  float* device_y = nullptr;
  float* device_result = nullptr;
  cudaMalloc(&device_x, N * sizeof(float));
  cudaMalloc(&device_y, N * sizeof(float));
  cudaMalloc(&device_result, N * sizeof(float));

  double startTime = CycleTimer::currentSeconds();
  cudaMemcpy(device_x, xarray, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_y, yarray, N * sizeof(float), cudaMemcpyHostToDevice);

  saxpy_kernel<<<blocks, threadsPerBlock>>>(N, alpha, device_x, device_y, device_result);

  cudaMemcpy(resultarray, device_result, N * sizeof(float), cudaMemcpyDeviceToHost);
  double endTime = CycleTimer::currentSeconds();

  cudaError_t errCode = cudaPeekAtLastError();
  if (errCode != cudaSuccess) fprintf(stderr, "CUDA error %d: %s\n", errCode, cudaGetErrorString(errCode));

  double seconds = endTime - startTime;
  printf("saxpy: %.3f ms [%.3f GB/s]\n", 1000.f * seconds, gigabytesPerSecond(totalBytes, seconds));

  cudaFree(device_x);
  cudaFree(device_y);
  cudaFree(device_result);
}

void printCudaInfo() {
  int deviceCount = 0;
  cudaGetDeviceCount(&deviceCount);
  printf("Found %d CUDA devices\n", deviceCount);
  for (int i = 0; i < deviceCount; i++) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, i);
    printf("Device %d: %s, %d multiprocessors\n", i, properties.name, properties.multiProcessorCount);
  }
}
