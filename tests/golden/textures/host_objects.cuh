// Makes textures and surfaces for the programs of against_textures.py. For nvcc alone.
#pragma once

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

enum class Kind { texture, surface, memory };

struct Wanted {
  Kind kind;
  size_t extent[3];  // width, height, depth or layers; 0: none
  bool layered;
  int bytes, components;
  cudaChannelFormatKind format;
  cudaTextureAddressMode address[3];
  bool linear, normalized, as_float;
};

inline void ask(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::puts(cudaGetErrorString(error));
  std::exit(1);
}

inline cudaArray_t array_of(const Wanted& wanted, const cudaChannelFormatDesc& channel, const void* data) {
  const size_t width = wanted.extent[0], height = wanted.extent[1], depth = wanted.extent[2];
  unsigned flags = wanted.layered ? cudaArrayLayered : cudaArrayDefault;
  if (wanted.kind == Kind::surface) flags |= cudaArraySurfaceLoadStore;
  if (wanted.kind == Kind::texture && height != 0 && depth == 0) flags |= cudaArrayTextureGather;
  cudaArray_t array;
  ask(cudaMalloc3DArray(&array, &channel, make_cudaExtent(width, height, depth), flags));
  const size_t row = width * wanted.bytes * wanted.components;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(data), row, width, height == 0 ? 1 : height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height == 0 ? 1 : height, depth == 0 ? 1 : depth);
  copy.kind = cudaMemcpyHostToDevice;
  ask(cudaMemcpy3D(&copy));
  return array;
}

inline unsigned long long object_of(const Wanted& wanted, const void* data, size_t bytes) {
  const int bits = 8 * wanted.bytes, n = wanted.components;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0, wanted.format);
  cudaResourceDesc resource = {};
  if (wanted.kind == Kind::memory) {
    void* memory;
    ask(cudaMalloc(&memory, bytes));
    ask(cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = channel;
    resource.res.linear.sizeInBytes = bytes;
  } else {
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_of(wanted, channel, data);
  }
  unsigned long long object = 0;
  if (wanted.kind == Kind::surface) {
    ask(cudaCreateSurfaceObject(&object, &resource));
    return object;
  }
  cudaTextureDesc texture = {};
  for (int i = 0; i < 3; ++i) texture.addressMode[i] = wanted.address[i];
  texture.filterMode = wanted.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  texture.readMode = wanted.as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  texture.normalizedCoords = wanted.normalized;
  ask(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

inline int ends() {
  ask(cudaGetLastError());
  ask(cudaDeviceSynchronize());
  return 0;
}
