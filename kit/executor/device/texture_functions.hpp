// Fetches through texture objects, and surfaces: memory that is read and written by coordinates. Handles are numbers; the executor knows
// what they stand for. Sparse textures are missing.
#pragma once

#include "texel_access.hpp"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

inline namespace cuda_on_cpu {

// Each answers the texel or writes it where a pointer says. Behind the parameters: what textures_on_cpu::fetch() is told.
#define TILELAB_TEXTURE(name, parameters, ...)                                 \
  template <textures_on_cpu::Texel T>                                          \
  T name(cudaTextureObject_t object, TILELAB_LISTED parameters) {              \
    using namespace textures_on_cpu;                                           \
    return __VA_ARGS__;                                                        \
  }                                                                            \
  template <textures_on_cpu::Texel T>                                          \
  void name(T* texel, cudaTextureObject_t object, TILELAB_LISTED parameters) { \
    using namespace textures_on_cpu;                                           \
    *texel = __VA_ARGS__;                                                      \
  }
#define TILELAB_LISTED(...) __VA_ARGS__

TILELAB_TEXTURE(tex1Dfetch, (int x), fetch_by_number<T>(object, x))
TILELAB_TEXTURE(tex1D, (float x), fetch<T>(object, of_1d, x))
TILELAB_TEXTURE(tex2D, (float x, float y), fetch<T>(object, of_2d, x, y))
TILELAB_TEXTURE(tex3D, (float x, float y, float z), fetch<T>(object, of_3d, x, y, z))
TILELAB_TEXTURE(tex1DLayered, (float x, int layer), fetch<T>(object, of_1d + layered, x, 0, 0, layer))
TILELAB_TEXTURE(tex2DLayered, (float x, float y, int layer), fetch<T>(object, of_2d + layered, x, y, 0, layer))
TILELAB_TEXTURE(tex2Dgather, (float x, float y, int number = 0), fetch<T>(object, of_2d + component(number), x, y))
TILELAB_TEXTURE(texCubemap, (float x, float y, float z), fetch<T>(object, of_2d + cube, x, y, z))
// Levels of detail: only a mipmapped array of a whole program has more than one.
TILELAB_TEXTURE(tex2DLod, (float x, float y, float level), fetch<T>(object, of_2d, x, y, 0, 0, level))
TILELAB_TEXTURE(tex2DGrad, (float x, float y, float2 /*dx*/, float2 /*dy*/), fetch<T>(object, of_2d + gradient, x, y))
#undef TILELAB_TEXTURE

// x counts bytes, and the other coordinates count rows, slices or layers; the faces of one cube stand behind those of the one before it.
#define TILELAB_SURFACE(name, parameters, how, ...)                                                                                       \
  template <textures_on_cpu::Stored T>                                                                                                    \
  T name##read(cudaSurfaceObject_t object, TILELAB_LISTED parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    using namespace textures_on_cpu;                                                                                                      \
    return textures_on_cpu::read<T>(object, how, mode, __VA_ARGS__);                                                                      \
  }                                                                                                                                       \
  template <textures_on_cpu::Stored T>                                                                                                    \
  void name##read(T* value, cudaSurfaceObject_t object, TILELAB_LISTED parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    using namespace textures_on_cpu;                                                                                                      \
    *value = textures_on_cpu::read<T>(object, how, mode, __VA_ARGS__);                                                                    \
  }                                                                                                                                       \
  template <textures_on_cpu::Stored T>                                                                                                    \
  void name##write(T value, cudaSurfaceObject_t object, TILELAB_LISTED parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    using namespace textures_on_cpu;                                                                                                      \
    textures_on_cpu::write(value, object, how, mode, __VA_ARGS__);                                                                        \
  }

TILELAB_SURFACE(surf1D, (int x), of_1d, x)
TILELAB_SURFACE(surf2D, (int x, int y), of_2d, x, y)
TILELAB_SURFACE(surf3D, (int x, int y, int z), of_3d, x, y, z)
TILELAB_SURFACE(surf1DLayered, (int x, int layer), of_1d + layered, x, 0, layer)
TILELAB_SURFACE(surf2DLayered, (int x, int y, int layer), of_2d + layered, x, y, layer)
TILELAB_SURFACE(surfCubemap, (int x, int y, int face), of_2d + cube, x, y, face)
#undef TILELAB_SURFACE
#undef TILELAB_LISTED

}  // namespace cuda_on_cpu
