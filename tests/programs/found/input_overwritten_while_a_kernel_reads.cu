// copy-race in line 18:
// says: in
#include <cstdio>

__global__ void twice(const float *in, float *out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
  float *host, *in, *out;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaMallocHost(&host, 128 * sizeof(float));
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMalloc(&out, 128 * sizeof(float));
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMemcpy(in, host, 128 * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<1, 128, 0, first>>>(in, out);
  cudaMemcpyAsync(in, host, 128 * sizeof(float), cudaMemcpyHostToDevice, second);
  cudaDeviceSynchronize();
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFreeHost(host);
  cudaFree(in);
  cudaFree(out);
}
