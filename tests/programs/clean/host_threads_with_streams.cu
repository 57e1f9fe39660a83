// run:
// prints: 4 threads, sums 1000 2000 3000 4000\n
#include <cstdio>
#include <thread>
#include <vector>

__global__ void sum(const int *x, int n, int *result) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&total, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) *result = total;
}

void work(int value, int *result) {
  const int n = 1000;
  std::vector<int> numbers(n, value);
  int *x, *total;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpyAsync(x, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream);
  sum<<<1, 128, 0, stream>>>(x, n, total);
  cudaMemcpyAsync(result, total, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaFree(x);
  cudaFree(total);
  cudaStreamDestroy(stream);
}

int main() {
  int results[4];
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t + 1, &results[t]);
  for (std::thread &one : threads) one.join();
  printf("4 threads, sums %d %d %d %d\n", results[0], results[1], results[2], results[3]);
}
