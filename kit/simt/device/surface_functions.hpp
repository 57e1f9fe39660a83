// Surfaces: memory that is read and written by coordinates. Handles are numbers; the executor knows what they stand for.
#pragma once

#include "texture_functions.hpp"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

inline namespace cuda_on_cpu {

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
TILELAB_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), of_2d + cube + layered, x, y, layer_face)
#undef TILELAB_SURFACE
#undef TILELAB_LISTED

}  // namespace cuda_on_cpu
