// CUDA's runtime: texture and surface objects, which show arrays and linear memory to kernels. Views of other formats and textures in
// sRGB are refused by their names; references (`texture<float> t;`) went with CUDA 12.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_arrays.hpp"

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
TILELAB_CUDA_CALL cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object);
TILELAB_CUDA_CALL cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object);
TILELAB_CUDA_CALL cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
TILELAB_CUDA_CALL cudaDestroySurfaceObject(cudaSurfaceObject_t object);
TILELAB_CUDA_CALL cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object);
// The most texels of one row of linear memory with this format.
TILELAB_CUDA_CALL cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const cudaChannelFormatDesc* format, int device);
