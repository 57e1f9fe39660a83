// run:
// prints: 20 21 22 23\n
// Streams that do not wait for the default stream: a copy that has returned is done all the same.
#include <cstdio>

__global__ void add(const int *in, int *out, int value) { out[threadIdx.x] = in[threadIdx.x] + value; }

int main() {
  int *numbers, *in, *out;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMallocHost(&numbers, 4 * sizeof(int));
  cudaMalloc(&in, 4 * sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) numbers[i] = i;
  cudaMemcpy(in, numbers, 4 * sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, 4, 0, stream>>>(in, out, 10);
  cudaStreamSynchronize(stream);
  cudaMemcpy(in, out, 4 * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  add<<<1, 4, 0, stream>>>(in, out, 10);
  cudaMemcpyAsync(numbers, out, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  cudaStreamDestroy(stream);
  cudaFree(in);
  cudaFree(out);
  cudaFreeHost(numbers);
}
