// run:
// prints: 0 1 6 7 23\n46 23\n3.5 10.0\n
// Surfaces of three kinds of arrays: what one launch writes, later launches and copies see. Handles travel in a struct and in constant memory.
#include <cstdio>
#include <cstring>
#include <vector>

struct Volume {
  cudaSurfaceObject_t surface;
  int width, height, depth;
};
__constant__ cudaTextureObject_t pictures[2];

__global__ void number(Volume volume) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x < volume.width && y < volume.height && z < volume.depth)
    surf3Dwrite(static_cast<float>((z * volume.height + y) * volume.width + x), volume.surface, x * sizeof(float), y, z);
}

__global__ void twice(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const float value = surf3Dread<float>(surface, x * sizeof(float), y, z);
  surf3Dwrite(2 * value, surface, x * sizeof(float), y, z);
}

__global__ void layers(cudaSurfaceObject_t surface, float *out) {
  const int x = threadIdx.x, layer = threadIdx.y;
  surf2DLayeredwrite(layer * 10.0f + x, surface, x * sizeof(float), 0, layer);
  if (x == 0 && layer == 0) out[0] = 0;
}

__global__ void look(float *out) {
  out[0] = tex3D<float>(pictures[0], 1.0f, 0.5f, 0.5f) + tex3D<float>(pictures[0], 3.5f, 0.5f, 0.5f) / 2;
  out[1] = tex2DLayered<float>(pictures[1], 0.5f, 0.5f, 1);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(4, 3, 2);
  cudaArray_t volume, sheets;
  cudaMalloc3DArray(&volume, &format, extent, cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&sheets, &format, make_cudaExtent(2, 1, 3), cudaArrayLayered | cudaArraySurfaceLoadStore);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = volume;
  cudaTextureDesc description;
  memset(&description, 0, sizeof(description));
  for (auto &mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaSurfaceObject_t into, into_sheets;
  cudaTextureObject_t handles[2];
  cudaCreateSurfaceObject(&into, &resource);
  cudaCreateTextureObject(&handles[0], &resource, &description, nullptr);
  resource.res.array.array = sheets;
  cudaCreateSurfaceObject(&into_sheets, &resource);
  cudaCreateTextureObject(&handles[1], &resource, &description, nullptr);
  cudaMemcpyToSymbol(pictures, handles, sizeof(handles));

  number<<<1, dim3(4, 3, 2)>>>(Volume{into, 4, 3, 2});
  std::vector<float> back(24);
  cudaMemcpy3DParms copy;
  memset(&copy, 0, sizeof(copy));
  copy.srcArray = volume;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), 4 * sizeof(float), 4, 3);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  printf("%g %g %g %g %g\n", back[0], back[1], back[6], back[7], back[23]);
  twice<<<1, dim3(4, 3, 2)>>>(into);
  cudaMemcpy3D(&copy);
  copy.srcPos = make_cudaPos(3, 2, 0);  // one texel of the first slice
  copy.extent = make_cudaExtent(1, 1, 1);
  float one = 0;
  copy.dstPtr = make_cudaPitchedPtr(&one, sizeof(float), 1, 1);
  cudaMemcpy3D(&copy);
  printf("%g %g\n", back[23], one + 1);

  float *d_out, out[2];
  cudaMalloc(&d_out, sizeof(out));
  layers<<<1, dim3(2, 3)>>>(into_sheets, d_out);
  look<<<1, 1>>>(d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%.1f %.1f\n", out[0] - 0.5, out[1]);
  for (auto handle : handles) cudaDestroyTextureObject(handle);
  cudaDestroySurfaceObject(into);
  cudaDestroySurfaceObject(into_sheets);
  cudaFreeArray(volume);
  cudaFreeArray(sheets);
  cudaFree(d_out);
}
