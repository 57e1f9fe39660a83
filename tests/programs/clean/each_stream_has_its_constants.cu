// run:
// prints: 3 and 30, 128 threads\n
#include <cstdio>

__constant__ float left[2], right[2], both;
__device__ int threads;

__global__ void of_left(float *out) {
  out[threadIdx.x] = left[0] + both;
  atomicAdd(&threads, 1);
}

__global__ void of_right(float *out) {
  out[threadIdx.x] = right[1] * 10 * both;
  atomicAdd(&threads, 1);
}

int main() {
  const float one = 1, numbers[2] = {2, 3};
  float *first, *second, results[2];
  cudaStream_t one_stream, other_stream;
  cudaStreamCreateWithFlags(&one_stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other_stream, cudaStreamNonBlocking);
  cudaMalloc(&first, 64 * sizeof(float));
  cudaMalloc(&second, 64 * sizeof(float));
  cudaMemcpyToSymbol(both, &one, sizeof(float));
  cudaDeviceSynchronize();
  cudaMemcpyToSymbolAsync(left, numbers, sizeof(numbers), 0, cudaMemcpyHostToDevice, one_stream);
  of_left<<<1, 64, 0, one_stream>>>(first);
  cudaMemcpyToSymbolAsync(right, numbers + 1, sizeof(float), sizeof(float), cudaMemcpyHostToDevice, other_stream);
  of_right<<<1, 64, 0, other_stream>>>(second);
  cudaDeviceSynchronize();
  int counted;
  cudaMemcpyFromSymbol(&counted, threads, sizeof(int));
  cudaMemcpy(&results[0], first, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(&results[1], second, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g and %g, %d threads\n", results[0], results[1], counted);
  cudaStreamDestroy(one_stream);
  cudaStreamDestroy(other_stream);
  cudaFree(first);
  cudaFree(second);
}
