// verdict: crash
#include <stdio.h>

#include <cuda.h>
#include <cuda_runtime.h>

#include <driver_functions.h>

#include <thrust/scan.h>
#include <thrust/device_ptr.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>

#include "CycleTimer.h"

#define THREADS_PER_BLOCK 256

static inline int nextPow2(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

// Adds the left half of each piece of 2 * distance numbers to its last number.
__global__ void upsweep(int* data, int pieces, int distance) {
  int piece = blockIdx.x * blockDim.x + threadIdx.x;
  if (piece >= pieces) return;
  long first = 2L * distance * piece;
  data[first + 2 * distance - 1] += data[first + distance - 1];
}

// Turns the sum before a piece into the sums before its two halves.
__global__ void downsweep(int* data, int pieces, int distance) {
  int piece = blockIdx.x * blockDim.x + threadIdx.x;
  if (piece >= pieces) return;
  long first = 2L * distance * piece;
  int left = data[first + distance - 1];
  data[first + distance - 1] = data[first + 2 * distance - 1];
  data[first + 2 * distance - 1] += left;
}

static int blocksFor(int threads) { return (threads + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK; }

// `result` holds the input, and has room for the next power of two.
void exclusive_scan(int* input, int N, int* result) {
  int size = nextPow2(N);
  for (int distance = 1; distance <= size / 2; distance *= 2) {
    int pieces = size / (2 * distance);
    upsweep<<<blocksFor(pieces), THREADS_PER_BLOCK>>>(result, pieces, distance);
  }
  cudaMemset(result + size - 1, 0, sizeof(int));
  for (int distance = size / 2; distance >= 1; distance /= 2) {
    int pieces = size / (2 * distance);
    downsweep<<<blocksFor(pieces), THREADS_PER_BLOCK>>>(result, pieces, distance);
  }
}

double cudaScan(int* inarray, int* end, int* resultarray) {
  int* device_result;
  int* device_input;
  int N = end - inarray;
  int rounded_length = nextPow2(N);

  cudaMalloc((void**)&device_result, sizeof(int) * rounded_length);
  cudaMalloc((void**)&device_input, sizeof(int) * rounded_length);
  cudaMemset(device_result, 0, sizeof(int) * rounded_length);
  cudaMemcpy(device_input, inarray, N * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(device_result, inarray, N * sizeof(int), cudaMemcpyHostToDevice);

  double startTime = CycleTimer::currentSeconds();
  thrust::device_ptr<int> first(device_input), result(device_result);
  thrust::exclusive_scan(first, first + N, result);
  cudaDeviceSynchronize();
  double endTime = CycleTimer::currentSeconds();

  cudaMemcpy(resultarray, device_result, N * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device_result);
  cudaFree(device_input);
  return endTime - startTime;
}

// The library's scan, for comparison.
double cudaScanThrust(int* inarray, int* end, int* resultarray) {
  int length = end - inarray;
  thrust::device_ptr<int> d_input = thrust::device_malloc<int>(length);
  thrust::device_ptr<int> d_output = thrust::device_malloc<int>(length);
  cudaMemcpy(d_input.get(), inarray, length * sizeof(int), cudaMemcpyHostToDevice);

  double startTime = CycleTimer::currentSeconds();
  thrust::exclusive_scan(d_input, d_input + length, d_output);
  cudaDeviceSynchronize();
  double endTime = CycleTimer::currentSeconds();

  cudaMemcpy(resultarray, d_output.get(), length * sizeof(int), cudaMemcpyDeviceToHost);
  thrust::device_free(d_input);
  thrust::device_free(d_output);
  return endTime - startTime;
}

// flags[i] = 1 where numbers i and i + 1 are equal, and 0 up to `size`.
__global__ void mark_repeats(int* numbers, int length, int* flags, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) flags[i] = i + 1 < length && numbers[i] == numbers[i + 1];
}

__global__ void collect_repeats(int* flags, int* places, int length, int* output) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length && flags[i]) output[places[i]] = i;
}

int find_repeats(int* device_input, int length, int* device_output) {
  int size = nextPow2(length);
  int *flags, *places;
  cudaMalloc((void**)&flags, sizeof(int) * size);
  cudaMalloc((void**)&places, sizeof(int) * size);
  mark_repeats<<<blocksFor(size), THREADS_PER_BLOCK>>>(device_input, length, flags, size);
  cudaMemcpy(places, flags, sizeof(int) * size, cudaMemcpyDeviceToDevice);
  exclusive_scan(flags, length, places);
  collect_repeats<<<blocksFor(length), THREADS_PER_BLOCK>>>(flags, places, length, device_output);

  int count = 0;  // the flag of the last number is 0
  cudaMemcpy(&count, places + length - 1, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(flags);
  cudaFree(places);
  return count;
}

double cudaFindRepeats(int* input, int length, int* output, int* output_length) {
  int* device_input;
  int* device_output;
  int rounded_length = nextPow2(length);
  cudaMalloc((void**)&device_input, rounded_length * sizeof(int));
  cudaMalloc((void**)&device_output, rounded_length * sizeof(int));
  cudaMemcpy(device_input, input, length * sizeof(int), cudaMemcpyHostToDevice);

  cudaDeviceSynchronize();
  double startTime = CycleTimer::currentSeconds();
  int result = find_repeats(device_input, length, device_output);
  cudaDeviceSynchronize();
  double endTime = CycleTimer::currentSeconds();

  *output_length = result;
  cudaMemcpy(output, device_output, result * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device_input);
  cudaFree(device_output);
  return endTime - startTime;
}

void printCudaInfo() {
  int deviceCount = 0;
  cudaGetDeviceCount(&deviceCount);
  printf("Found %d CUDA devices\n", deviceCount);
}
