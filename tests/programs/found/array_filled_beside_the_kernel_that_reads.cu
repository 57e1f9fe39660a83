// copy-race in line 26:
// says: picture,line 25
#include <cstdio>

__global__ void look(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 0); }

int main() {
  float *pixels, *d_out;
  cudaMallocHost(&pixels, 32 * sizeof(float));
  for (int i = 0; i < 32; ++i) pixels[i] = i;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t picture;
  cudaMalloc(&d_out, 8 * sizeof(float));
  cudaMallocArray(&picture, &format, 8, 4);
  cudaMemcpy2DToArray(picture, 0, 0, pixels, 32, 32, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = picture;
  cudaTextureDesc description{};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  look<<<1, 8, 0, one>>>(texture, d_out);
  cudaMemcpy2DToArrayAsync(picture, 0, 0, pixels, 32, 32, 4, cudaMemcpyHostToDevice, other);
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(picture);
  cudaFree(d_out);
  cudaFreeHost(pixels);
}
