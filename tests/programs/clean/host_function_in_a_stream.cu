// run:
// prints: 3 rounds, sum 96\n
#include <cstdio>

__global__ void add_one(int *x) { x[threadIdx.x] += 1; }

struct Progress {
  int *numbers;
  int rounds;
  int sum;
};

static void count(void *data) {
  Progress *progress = static_cast<Progress *>(data);
  ++progress->rounds;
  progress->sum = 0;
  for (int i = 0; i < 32; ++i) progress->sum += progress->numbers[i];
}

int main() {
  int *numbers, *device;
  cudaHostAlloc(&numbers, 32 * sizeof(int), cudaHostAllocDefault);
  cudaMalloc(&device, 32 * sizeof(int));
  cudaMemset(device, 0, 32 * sizeof(int));
  Progress progress = {numbers, 0, 0};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 0; i < 3; ++i) {
    add_one<<<1, 32, 0, stream>>>(device);
    cudaMemcpyAsync(numbers, device, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, count, &progress);
  }
  cudaStreamSynchronize(stream);
  printf("%d rounds, sum %d\n", progress.rounds, progress.sum);
  cudaStreamDestroy(stream);
  cudaFreeHost(numbers);
  cudaFree(device);
}
