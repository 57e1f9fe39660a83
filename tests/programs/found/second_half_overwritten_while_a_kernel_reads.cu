// copy-race in line 19:
// says: in
#include <cstdio>

__global__ void twice(const float *in, float *out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
  const int n = 128;
  float *host, *in, *out;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaMallocHost(&host, n * sizeof(float));
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<1, n, 0, first>>>(in, out);
  cudaMemcpyAsync(in + n / 2, host, n / 2 * sizeof(float), cudaMemcpyHostToDevice, second);
  cudaDeviceSynchronize();
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFreeHost(host);
  cudaFree(in);
  cudaFree(out);
}
