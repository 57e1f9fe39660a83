// leak in line 12:
// says: picture
#include <cstdio>

__global__ void look(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 0); }

int main() {
  float pixels[4][8] = {{1, 2, 3}}, *d_out, out[8];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t picture;
  cudaMalloc(&d_out, sizeof(out));
  cudaMallocArray(&picture, &format, 8, 4);
  cudaMemcpy2DToArray(picture, 0, 0, pixels, sizeof(pixels[0]), sizeof(pixels[0]), 4, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = picture;
  cudaTextureDesc description{};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  look<<<1, 8>>>(texture, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%g\n", out[1]);
  cudaDestroyTextureObject(texture);
  cudaFree(d_out);
}
