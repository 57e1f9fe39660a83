// Surfaces: memory that is read and written by coordinates. Handles are numbers; the executor knows what they stand for.
#pragma once

#include "texel_access.hpp"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

inline namespace cuda_on_cpu {

// x counts bytes, and the other coordinates count rows, slices or layers.
template <textures_on_cpu::Stored T>
T surf1Dread(cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_1d, mode, x);
}
template <textures_on_cpu::Stored T>
void surf1Dread(T* value, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = textures_on_cpu::read<T>(object, textures_on_cpu::of_1d, mode, x);
}
template <textures_on_cpu::Stored T>
void surf1Dwrite(T value, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_1d, mode, x);
}
template <textures_on_cpu::Stored T>
T surf2Dread(cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_2d, mode, x, y);
}
template <textures_on_cpu::Stored T>
void surf2Dread(T* value, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = textures_on_cpu::read<T>(object, textures_on_cpu::of_2d, mode, x, y);
}
template <textures_on_cpu::Stored T>
void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_2d, mode, x, y);
}
template <textures_on_cpu::Stored T>
T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_3d, mode, x, y, z);
}
template <textures_on_cpu::Stored T>
void surf3Dread(T* value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = textures_on_cpu::read<T>(object, textures_on_cpu::of_3d, mode, x, y, z);
}
template <textures_on_cpu::Stored T>
void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_3d, mode, x, y, z);
}
template <textures_on_cpu::Stored T>
T surf1DLayeredread(cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_1d + textures_on_cpu::layered, mode, x, 0, layer);
}
template <textures_on_cpu::Stored T>
void surf1DLayeredread(T* value, cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = textures_on_cpu::read<T>(object, textures_on_cpu::of_1d + textures_on_cpu::layered, mode, x, 0, layer);
}
template <textures_on_cpu::Stored T>
void surf1DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_1d + textures_on_cpu::layered, mode, x, 0, layer);
}
template <textures_on_cpu::Stored T>
T surf2DLayeredread(cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_2d + textures_on_cpu::layered, mode, x, y, layer);
}
template <textures_on_cpu::Stored T>
void surf2DLayeredread(T* value, cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = textures_on_cpu::read<T>(object, textures_on_cpu::of_2d + textures_on_cpu::layered, mode, x, y, layer);
}
template <textures_on_cpu::Stored T>
void surf2DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_2d + textures_on_cpu::layered, mode, x, y, layer);
}
// The faces of one cube behind those of the one before it.
template <textures_on_cpu::Stored T>
T surfCubemapread(cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube, mode, x, y, face);
}
template <textures_on_cpu::Stored T>
void surfCubemapread(T* value, cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = textures_on_cpu::read<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube, mode, x, y, face);
}
template <textures_on_cpu::Stored T>
void surfCubemapwrite(T value, cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_2d + textures_on_cpu::cube, mode, x, y, face);
}
template <textures_on_cpu::Stored T>
T surfCubemapLayeredread(cudaSurfaceObject_t object, int x, int y, int layer_face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return textures_on_cpu::read<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, mode, x, y,
                                  layer_face);
}
template <textures_on_cpu::Stored T>
void surfCubemapLayeredread(T* value, cudaSurfaceObject_t object, int x, int y, int layer_face,
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value =
      textures_on_cpu::read<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, mode, x, y, layer_face);
}
template <textures_on_cpu::Stored T>
void surfCubemapLayeredwrite(T value, cudaSurfaceObject_t object, int x, int y, int layer_face,
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  textures_on_cpu::write(value, object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, mode, x, y, layer_face);
}

}  // namespace cuda_on_cpu
