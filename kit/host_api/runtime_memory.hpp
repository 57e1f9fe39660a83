// CUDA's runtime: memory of the device, managed memory, and page-locked memory of the host. Sizes are in bytes. Memory pools
// are in runtime_pools.hpp. Arrays are missing.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_types.hpp"

TILELAB_CUDA_CALL cudaMalloc(void** pointer, std::size_t bytes);
TILELAB_CUDA_CALL cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags = cudaMemAttachGlobal);
TILELAB_CUDA_CALL cudaMallocHost(void** pointer, std::size_t bytes);
TILELAB_CUDA_CALL cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int flags);
TILELAB_CUDA_CALL cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
TILELAB_CUDA_CALL cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent);
TILELAB_CUDA_CALL cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream);
TILELAB_CUDA_CALL cudaFree(void* pointer);
TILELAB_CUDA_CALL cudaFreeHost(void* pointer);
TILELAB_CUDA_CALL cudaFreeAsync(void* pointer, cudaStream_t stream);

TILELAB_CUDA_CALL cudaHostRegister(void* pointer, std::size_t bytes, unsigned int flags);
TILELAB_CUDA_CALL cudaHostUnregister(void* pointer);
TILELAB_CUDA_CALL cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags);
TILELAB_CUDA_CALL cudaHostGetFlags(unsigned int* flags, void* pointer);
TILELAB_CUDA_CALL cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
TILELAB_CUDA_CALL cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

// Hints, which change nothing here.
TILELAB_CUDA_CALL cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device);
TILELAB_CUDA_CALL cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes = 0,
                                           unsigned int flags = cudaMemAttachSingle);

// The forms of CUDA 13, and those that take a pointer of any type.
TILELAB_CUDA_FORM cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation place, unsigned int,
                                       cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId, stream);
}
TILELAB_CUDA_FORM cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, cudaMemLocation place) {
  return cudaMemAdvise(pointer, bytes, advice, place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId);
}
template <typename T>
TILELAB_CUDA_FORM cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(static_cast<void**>(static_cast<void*>(pointer)), bytes);
}
template <typename T>
TILELAB_CUDA_FORM cudaMallocManaged(T** pointer, std::size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(static_cast<void**>(static_cast<void*>(pointer)), bytes, flags);
}
template <typename T>
TILELAB_CUDA_FORM cudaMallocHost(T** pointer, std::size_t bytes, unsigned int flags = cudaHostAllocDefault) {
  return cudaHostAlloc(static_cast<void**>(static_cast<void*>(pointer)), bytes, flags);
}
template <typename T>
TILELAB_CUDA_FORM cudaHostAlloc(T** pointer, std::size_t bytes, unsigned int flags) {
  return cudaHostAlloc(static_cast<void**>(static_cast<void*>(pointer)), bytes, flags);
}
template <typename T>
TILELAB_CUDA_FORM cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return cudaMallocPitch(static_cast<void**>(static_cast<void*>(pointer)), pitch, width, height);
}
template <typename T>
TILELAB_CUDA_FORM cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(static_cast<void**>(static_cast<void*>(pointer)), bytes, stream);
}
template <typename T>
TILELAB_CUDA_FORM cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned int flags) {
  return cudaHostGetDevicePointer(static_cast<void**>(static_cast<void*>(device_pointer)), host_pointer, flags);
}
