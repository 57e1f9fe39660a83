// use-after-free in line 20:
// says: picture,line 19
#include <cstdio>

__global__ void look(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 0); }

int main() {
  float pixels[4][8] = {{1, 2, 3}}, *d_out;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t picture;
  cudaMalloc(&d_out, 8 * sizeof(float));
  cudaMallocArray(&picture, &format, 8, 4);
  cudaMemcpy2DToArray(picture, 0, 0, pixels, sizeof(pixels[0]), sizeof(pixels[0]), 4, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = picture;
  cudaTextureDesc description{};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaFreeArray(picture);
  look<<<1, 8>>>(texture, d_out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDestroyTextureObject(texture);
  cudaFree(d_out);
}
