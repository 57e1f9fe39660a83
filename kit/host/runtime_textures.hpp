// CUDA's runtime: arrays, which only textures and surfaces show to kernels. Extents count texels; offsets and widths of copies between
// memory and arrays count bytes. Sparse arrays and planes are missing.
#pragma once

#include "runtime_types.hpp"
#include "texel_access.hpp"

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
// The bits of each number of a texel.
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaArrayColorAttachment 0x20
#define cudaArraySparse 0x40
#define cudaArrayDeferredMapping 0x80

TILELAB_CUDA_CALL cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width, std::size_t height = 0,
                                  unsigned int flags = 0);
TILELAB_CUDA_CALL cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned int flags = 0);
TILELAB_CUDA_CALL cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                           unsigned int levels, unsigned int flags = 0);
TILELAB_CUDA_CALL cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array, unsigned int number);
TILELAB_CUDA_CALL cudaFreeArray(cudaArray_t array);
TILELAB_CUDA_CALL cudaFreeMipmappedArray(cudaMipmappedArray_t array);
TILELAB_CUDA_CALL cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags, cudaArray_t array);
TILELAB_CUDA_CALL cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);

TILELAB_CUDA_CALL cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                                      std::size_t height, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                           std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                        std::size_t width, std::size_t height, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                                           std::size_t from_y, std::size_t width, std::size_t height,
                                           cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
// So many bytes, from one row to the next. Old: CUDA's own headers call them deprecated.
TILELAB_CUDA_CALL cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, cudaMemcpyKind kind);

__attribute__((always_inline)) inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
// Of a type that no texel has, there is no description, and a call that is given it fails.
template <typename T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  constexpr int known = textures_on_cpu::format<T>, bits = known / 10 % 100 * 8, count = known % 10;
  if constexpr (known == 0) return {0, 0, 0, 0, cudaChannelFormatKindNone};
  constexpr cudaChannelFormatKind kind = known / 1000 == 1   ? cudaChannelFormatKindFloat
                                         : known / 1000 == 2 ? cudaChannelFormatKindSigned
                                                             : cudaChannelFormatKindUnsigned;
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}

// CUDA's runtime: texture and surface objects, which show arrays and linear memory to kernels. Views of other formats and textures in
// sRGB are refused by their names; references (`texture<float> t;`) went with CUDA 12.

enum cudaTextureAddressMode { cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3
};
enum cudaResourceViewFormat { cudaResViewFormatNone = 0 };

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
  cudaResourceViewFormat format;
  std::size_t width, height, depth;
  unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};

TILELAB_CUDA_CALL cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                                          const cudaResourceViewDesc* view);
TILELAB_CUDA_CALL cudaDestroyTextureObject(cudaTextureObject_t object);
TILELAB_CUDA_CALL cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
TILELAB_CUDA_CALL cudaDestroySurfaceObject(cudaSurfaceObject_t object);
