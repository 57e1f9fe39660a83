// Fetches through texture objects. Handles are numbers; the executor knows what they stand for. Sparse textures are missing.
#pragma once

#include "texel_access.hpp"

inline namespace cuda_on_cpu {

template <textures_on_cpu::Texel T>
T tex1Dfetch(cudaTextureObject_t object, int x) {
  return textures_on_cpu::fetch_by_number<T>(object, x);
}
template <textures_on_cpu::Texel T>
void tex1Dfetch(T* texel, cudaTextureObject_t object, int x) {
  *texel = textures_on_cpu::fetch_by_number<T>(object, x);
}
template <textures_on_cpu::Texel T>
T tex1D(cudaTextureObject_t object, float x) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d, x);
}
template <textures_on_cpu::Texel T>
void tex1D(T* texel, cudaTextureObject_t object, float x) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d, x);
}
template <textures_on_cpu::Texel T>
T tex2D(cudaTextureObject_t object, float x, float y) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d, x, y);
}
template <textures_on_cpu::Texel T>
void tex2D(T* texel, cudaTextureObject_t object, float x, float y) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d, x, y);
}
template <textures_on_cpu::Texel T>
T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_3d, x, y, z);
}
template <textures_on_cpu::Texel T>
void tex3D(T* texel, cudaTextureObject_t object, float x, float y, float z) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_3d, x, y, z);
}
template <textures_on_cpu::Texel T>
T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d + textures_on_cpu::layered, x, 0, 0, layer);
}
template <textures_on_cpu::Texel T>
void tex1DLayered(T* texel, cudaTextureObject_t object, float x, int layer) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d + textures_on_cpu::layered, x, 0, 0, layer);
}
template <textures_on_cpu::Texel T>
T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::layered, x, y, 0, layer);
}
template <textures_on_cpu::Texel T>
void tex2DLayered(T* texel, cudaTextureObject_t object, float x, float y, int layer) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::layered, x, y, 0, layer);
}
template <textures_on_cpu::Texel T>
T tex2Dgather(cudaTextureObject_t object, float x, float y, int number = 0) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::component(number), x, y);
}

template <textures_on_cpu::Texel T>
void tex2Dgather(T* texel, cudaTextureObject_t object, float x, float y, int number = 0) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::component(number), x, y);
}
template <textures_on_cpu::Texel T>
T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube, x, y, z);
}
template <textures_on_cpu::Texel T>
void texCubemap(T* texel, cudaTextureObject_t object, float x, float y, float z) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube, x, y, z);
}
template <textures_on_cpu::Texel T>
T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, x, y, z, layer);
}
template <textures_on_cpu::Texel T>
void texCubemapLayered(T* texel, cudaTextureObject_t object, float x, float y, float z, int layer) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, x, y, z, layer);
}

// Levels of detail: only a mipmapped array of a whole program has more than one.
template <textures_on_cpu::Texel T>
T tex1DLod(cudaTextureObject_t object, float x, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d, x, 0, 0, 0, level);
}
template <textures_on_cpu::Texel T>
void tex1DLod(T* texel, cudaTextureObject_t object, float x, float level) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d, x, 0, 0, 0, level);
}
template <textures_on_cpu::Texel T>
T tex2DLod(cudaTextureObject_t object, float x, float y, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d, x, y, 0, 0, level);
}
template <textures_on_cpu::Texel T>
void tex2DLod(T* texel, cudaTextureObject_t object, float x, float y, float level) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d, x, y, 0, 0, level);
}
template <textures_on_cpu::Texel T>
T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_3d, x, y, z, 0, level);
}
template <textures_on_cpu::Texel T>
void tex3DLod(T* texel, cudaTextureObject_t object, float x, float y, float z, float level) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_3d, x, y, z, 0, level);
}
template <textures_on_cpu::Texel T>
T tex1DLayeredLod(cudaTextureObject_t object, float x, int layer, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d + textures_on_cpu::layered, x, 0, 0, layer, level);
}
template <textures_on_cpu::Texel T>
void tex1DLayeredLod(T* texel, cudaTextureObject_t object, float x, int layer, float level) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d + textures_on_cpu::layered, x, 0, 0, layer, level);
}
template <textures_on_cpu::Texel T>
T tex2DLayeredLod(cudaTextureObject_t object, float x, float y, int layer, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::layered, x, y, 0, layer, level);
}
template <textures_on_cpu::Texel T>
void tex2DLayeredLod(T* texel, cudaTextureObject_t object, float x, float y, int layer, float level) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::layered, x, y, 0, layer, level);
}
template <textures_on_cpu::Texel T>
T texCubemapLod(cudaTextureObject_t object, float x, float y, float z, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube, x, y, z, 0, level);
}
template <textures_on_cpu::Texel T>
void texCubemapLod(T* texel, cudaTextureObject_t object, float x, float y, float z, float level) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube, x, y, z, 0, level);
}
template <textures_on_cpu::Texel T>
T texCubemapLayeredLod(cudaTextureObject_t object, float x, float y, float z, int layer, float level) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, x, y, z, layer,
                                   level);
}
template <textures_on_cpu::Texel T>
void texCubemapLayeredLod(T* texel, cudaTextureObject_t object, float x, float y, float z, int layer, float level) {
  *texel =
      textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::cube + textures_on_cpu::layered, x, y, z, layer, level);
}
template <textures_on_cpu::Texel T>
T tex1DGrad(cudaTextureObject_t object, float x, float /*dx*/, float /*dy*/) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d + textures_on_cpu::gradient, x);
}
template <textures_on_cpu::Texel T>
void tex1DGrad(T* texel, cudaTextureObject_t object, float x, float /*dx*/, float /*dy*/) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_1d + textures_on_cpu::gradient, x);
}
template <textures_on_cpu::Texel T>
T tex2DGrad(cudaTextureObject_t object, float x, float y, float2 /*dx*/, float2 /*dy*/) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::gradient, x, y);
}
template <textures_on_cpu::Texel T>
void tex2DGrad(T* texel, cudaTextureObject_t object, float x, float y, float2 /*dx*/, float2 /*dy*/) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_2d + textures_on_cpu::gradient, x, y);
}
template <textures_on_cpu::Texel T>
T tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4 /*dx*/, float4 /*dy*/) {
  return textures_on_cpu::fetch<T>(object, textures_on_cpu::of_3d + textures_on_cpu::gradient, x, y, z);
}
template <textures_on_cpu::Texel T>
void tex3DGrad(T* texel, cudaTextureObject_t object, float x, float y, float z, float4 /*dx*/, float4 /*dy*/) {
  *texel = textures_on_cpu::fetch<T>(object, textures_on_cpu::of_3d + textures_on_cpu::gradient, x, y, z);
}

}  // namespace cuda_on_cpu
