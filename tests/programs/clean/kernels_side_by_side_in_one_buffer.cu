// run:
// prints: 1 2 1 2 7 128 3 6\n
// Kernels in streams without an order share buffers, and no byte of them is written by one and used by another.
#include <cstdio>

struct Pair {
  unsigned char one, two;
};

__global__ void every_second(float *x, int from) { x[2 * threadIdx.x + from] = from + 1; }
__global__ void first_byte(Pair *x) { x[threadIdx.x].one = 3; }
__global__ void second_byte(Pair *x) { x[threadIdx.x].two = 4; }
__global__ void count(const int *in, int *total) { atomicAdd(total, in[threadIdx.x]); }
__global__ void twice(int *x, int *y) { y[0] = 2 * x[0]; }
__global__ void three(int *x) { x[0] = 3; }

int main() {
  cudaStream_t stream[2];
  cudaEvent_t done;
  for (auto &one : stream) cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaEventCreate(&done);
  float *x;
  Pair *pairs;
  int *ones, *total;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMalloc(&pairs, 32 * sizeof(Pair));
  cudaMalloc(&ones, 64 * sizeof(int));
  cudaMalloc(&total, 3 * sizeof(int));
  int host[64];
  for (int &one : host) one = 1;
  cudaMemcpy(ones, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(total, 0, 3 * sizeof(int));
  cudaDeviceSynchronize();
  every_second<<<1, 32, 0, stream[0]>>>(x, 0);
  every_second<<<1, 32, 0, stream[1]>>>(x, 1);
  first_byte<<<1, 32, 0, stream[0]>>>(pairs);
  second_byte<<<1, 32, 0, stream[1]>>>(pairs);
  count<<<1, 64, 0, stream[0]>>>(ones, total);
  count<<<1, 64, 0, stream[1]>>>(ones, total);
  three<<<1, 1, 0, stream[0]>>>(total + 1);
  cudaEventRecord(done, stream[0]);
  cudaStreamWaitEvent(stream[1], done, 0);
  twice<<<1, 1, 0, stream[1]>>>(total + 1, total + 2);
  cudaDeviceSynchronize();
  float some[4];
  Pair pair;
  int numbers[3];
  cudaMemcpy(some, x, sizeof some, cudaMemcpyDeviceToHost);
  cudaMemcpy(&pair, pairs, sizeof pair, cudaMemcpyDeviceToHost);
  cudaMemcpy(numbers, total, sizeof numbers, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g %d %d %d %d\n", some[0], some[1], some[2], some[3], pair.one + pair.two, numbers[0], numbers[1], numbers[2]);
  for (auto &one : stream) cudaStreamDestroy(one);
  cudaEventDestroy(done);
  cudaFree(x);
  cudaFree(pairs);
  cudaFree(ones);
  cudaFree(total);
}
