// run:
// prints: 0 8 1 9\n12.00 13.50 12.00 -1.00\nextent 8 x 4 x 0, 32 bits, flags 0\n
// An array is filled with a pitch, shown by two textures, and read back.
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));                  \
      return 1;                                                                      \
    }                                                                                \
  } while (0)

__global__ void turn(cudaTextureObject_t picture, float *out, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tex2D<float>(picture, y + 0.5f, x + 0.5f);
}

__global__ void between(cudaTextureObject_t smooth, float *out) {
  out[0] = tex2D<float>(smooth, 4.5f / 8, 1.5f / 4);   // the middle of a texel
  out[1] = tex2D<float>(smooth, 6.0f / 8, 1.5f / 4);   // half of the way to the next
  out[2] = tex2D<float>(smooth, 12.5f / 8, 1.5f / 4);  // wraps
  out[3] = tex2D<float>(smooth, 0.5f, 2.0f);           // outside
}

int main() {
  const int width = 8, height = 4;
  float picture[height][width + 2], back[height][width], out[width * height], *d_out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) picture[y][x] = y * width + x;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, picture, sizeof(picture[0]), width * sizeof(float), height, cudaMemcpyHostToDevice));

  cudaResourceDesc resource;
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sharp;
  memset(&sharp, 0, sizeof(sharp));
  sharp.addressMode[0] = sharp.addressMode[1] = cudaAddressModeClamp;
  sharp.filterMode = cudaFilterModePoint;
  sharp.readMode = cudaReadModeElementType;
  cudaTextureDesc smooth = sharp;
  smooth.filterMode = cudaFilterModeLinear;
  smooth.normalizedCoords = 1;
  smooth.addressMode[0] = cudaAddressModeWrap;
  smooth.addressMode[1] = cudaAddressModeBorder;
  smooth.borderColor[0] = -1;
  cudaTextureObject_t one = 0, other = 0;
  CHECK(cudaCreateTextureObject(&one, &resource, &sharp, nullptr));
  CHECK(cudaCreateTextureObject(&other, &resource, &smooth, nullptr));
  CHECK(cudaMalloc(&d_out, sizeof(out)));
  turn<<<1, dim3(8, 8)>>>(one, d_out, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
  printf("%g %g %g %g\n", out[0], out[1], out[4], out[5]);
  between<<<1, 1>>>(other, d_out);
  CHECK(cudaMemcpy(out, d_out, 4 * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%.2f %.2f %.2f %.2f\n", out[0], out[1], out[2], out[3]);

  cudaExtent extent;
  cudaChannelFormatDesc same;
  unsigned int flags;
  CHECK(cudaArrayGetInfo(&same, &extent, &flags, array));
  printf("extent %zu x %zu x %zu, %d bits, flags %u\n", extent.width, extent.height, extent.depth, same.x, flags);
  CHECK(cudaMemcpy2DFromArray(back, sizeof(back[0]), array, 0, 0, width * sizeof(float), height, cudaMemcpyDeviceToHost));
  if (back[3][7] != 31) printf("read back wrong\n");
  CHECK(cudaDestroyTextureObject(one));
  CHECK(cudaDestroyTextureObject(other));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d_out));
  return 0;
}
