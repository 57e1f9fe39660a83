// copy-race in line 19:
// says: weights
#include <cstdio>

__constant__ float weights[4];

__global__ void weigh(float *out) { out[threadIdx.x] *= weights[threadIdx.x % 4]; }

int main() {
  const float first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8};
  float *out;
  cudaStream_t stream, other;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  cudaMemcpyToSymbol(weights, first, sizeof(first));
  weigh<<<1, 64, 0, stream>>>(out);
  cudaMemcpyToSymbolAsync(weights, second, sizeof(second), 0, cudaMemcpyHostToDevice, other);
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  cudaFree(out);
}
