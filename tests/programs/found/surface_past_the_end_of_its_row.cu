// out-of-bounds in line 5:
// says: picture,x = 32
#include <cstdio>

__global__ void fill(cudaSurfaceObject_t surface) { surf2Dwrite(1.0f, surface, threadIdx.x * (int)sizeof(float), threadIdx.y); }

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t picture;
  cudaMallocArray(&picture, &format, 8, 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = picture;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  fill<<<1, dim3(9, 4)>>>(surface);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(picture);
}
