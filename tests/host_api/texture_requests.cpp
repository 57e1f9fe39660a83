// A program for test_texture_calls.py: arrays, textures and surfaces, and what they make the library ask for.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

void arrays() {
  cudaArray_t picture = nullptr, volume = nullptr;
  const cudaChannelFormatDesc format_of_picture = cudaCreateChannelDesc<uchar4>();
  (void)cudaMallocArray(&picture, &format_of_picture, 8, 4, cudaArraySurfaceLoadStore);
  const char bytes[4][48] = {};
  (void)cudaMemcpy2DToArray(picture, 4, 1, bytes, 48, 28, 3, cudaMemcpyHostToDevice);
  (void)cudaMemcpyToArray(picture, 0, 0, bytes, 100, cudaMemcpyHostToDevice);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<char*>(bytes[0]), 48, 8, 2);
  copy.dstArray = volume = picture;
  copy.dstPos = make_cudaPos(1, 0, 1);
  copy.extent = make_cudaExtent(2, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  (void)cudaMemcpy3D(&copy);
  cudaExtent extent;
  cudaChannelFormatDesc format;
  unsigned int flags = 0;
  (void)cudaArrayGetInfo(&format, &extent, &flags, volume);
  std::printf("%d %d %zu %u\n", format.x, format.f, extent.width, flags);
  (void)cudaFreeArray(picture);
}

void textures() {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {reinterpret_cast<void*>(0x200000400000), cudaCreateChannelDesc<short2>(), 10, 20, 512};
  cudaTextureDesc description{};
  description.addressMode[1] = cudaAddressModeBorder;
  description.readMode = cudaReadModeNormalizedFloat;
  description.borderColor[3] = 1;
  cudaTextureObject_t texture = 0;
  (void)cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  std::printf("%llx\n", texture);
  (void)cudaDestroyTextureObject(texture);
}

void three_numbers() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  const cudaChannelFormatDesc none = cudaCreateChannelDesc<float3>();
  std::printf("%s\n", cudaGetErrorName(cudaMallocArray(&array, &three, 8)));
  std::printf("%s\n", cudaGetErrorName(cudaMallocArray(&array, &none, 8)));
}

void in_srgb() {
  cudaResourceDesc resource{};
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  description.sRGB = 1;
  (void)cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  std::printf("never\n");
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "arrays") arrays();
  if (what == "textures") textures();
  if (what == "three-numbers") three_numbers();
  if (what == "in-srgb") in_srgb();
  return 0;
}
