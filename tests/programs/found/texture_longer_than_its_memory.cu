// copy-size in line 18:
// says: d_x,4096 bytes,1024 bytes
#include <cstdio>

__global__ void look(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); }

int main() {
  float *d_x;
  cudaMalloc(&d_x, 256 * sizeof(float));
  cudaMemset(d_x, 0, 256 * sizeof(float));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_x;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 1024 * sizeof(float);
  cudaTextureDesc description{};
  cudaTextureObject_t texture;
  cudaError_t error = cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  if (error == cudaSuccess) look<<<1, 32>>>(texture, d_x);
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(d_x);
}
