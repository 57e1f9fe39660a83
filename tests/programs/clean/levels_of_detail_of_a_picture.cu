// run:
// prints: 0 1 2 1.5 2\n
// A mipmapped array: a kernel writes each level, and fetches choose between them.
#include <cstdio>

__global__ void fill(cudaSurfaceObject_t level, float value) {
  surf2Dwrite(value, level, threadIdx.x * sizeof(float), threadIdx.y);
}

__global__ void look(cudaTextureObject_t picture, float *out) {
  out[0] = tex2D<float>(picture, 0.5f, 0.5f);
  out[1] = tex2DLod<float>(picture, 0.5f, 0.5f, 1);
  out[2] = tex2DLod<float>(picture, 0.5f, 0.5f, 2);
  out[3] = tex2DLod<float>(picture, 0.5f, 0.5f, 1.5f);
  out[4] = tex2DLod<float>(picture, 0.5f, 0.5f, 9);
}

int main() {
  cudaMipmappedArray_t levels;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(4, 4, 0), 3, cudaArraySurfaceLoadStore);
  for (int i = 0; i < 3; ++i) {
    cudaArray_t level;
    cudaGetMipmappedArrayLevel(&level, levels, i);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = level;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaExtent extent;
    cudaArrayGetInfo(nullptr, &extent, nullptr, level);
    fill<<<1, dim3(extent.width, extent.height)>>>(surface, i);
    cudaDestroySurfaceObject(surface);
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  cudaTextureDesc description{};
  description.normalizedCoords = 1;
  description.filterMode = cudaFilterModeLinear;
  description.mipmapFilterMode = cudaFilterModeLinear;
  description.maxMipmapLevelClamp = 2;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  float *d_out, out[5];
  cudaMalloc(&d_out, sizeof(out));
  look<<<1, 1>>>(texture, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4]);
  cudaDestroyTextureObject(texture);
  cudaFreeMipmappedArray(levels);
  cudaFree(d_out);
}
