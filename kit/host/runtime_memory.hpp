// CUDA's runtime: memory of the device, managed memory, and page-locked memory of the host; copies and fills. Sizes are in bytes. Pools
// of the program's own and what a pool says of itself are missing.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "runtime_types.hpp"

// The types and constants of CUDA's memory pools, of which the device has one, and of memory that graphs allocate.

struct CUmemPoolHandle_st;
typedef CUmemPoolHandle_st* cudaMemPool_t;

enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4
};

TILELAB_CUDA_CALL cudaMalloc(void** pointer, std::size_t bytes);
TILELAB_CUDA_CALL cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags = cudaMemAttachGlobal);
TILELAB_CUDA_CALL cudaMallocHost(void** pointer, std::size_t bytes);
TILELAB_CUDA_CALL cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int flags);
TILELAB_CUDA_CALL cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
TILELAB_CUDA_CALL cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream);
TILELAB_CUDA_CALL cudaFree(void* pointer);
TILELAB_CUDA_CALL cudaFreeHost(void* pointer);
TILELAB_CUDA_CALL cudaFreeAsync(void* pointer, cudaStream_t stream);

TILELAB_CUDA_CALL cudaHostRegister(void* pointer, std::size_t bytes, unsigned int flags);
TILELAB_CUDA_CALL cudaHostUnregister(void* pointer);
TILELAB_CUDA_CALL cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags);
TILELAB_CUDA_CALL cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);

// Hints, which change nothing here. So is what a pool keeps for later.
TILELAB_CUDA_CALL cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
TILELAB_CUDA_CALL cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
TILELAB_CUDA_CALL cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count);
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
TILELAB_CUDA_ANY(cudaMalloc, (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes), cudaMalloc(tilelab_host::untyped(pointer), bytes))
TILELAB_CUDA_ANY(cudaMallocManaged, (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes, unsigned int flags = cudaMemAttachGlobal),
                 cudaMallocManaged(tilelab_host::untyped(pointer), bytes, flags))
TILELAB_CUDA_ANY(cudaMallocHost, (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes, unsigned int flags = cudaHostAllocDefault),
                 cudaHostAlloc(tilelab_host::untyped(pointer), bytes, flags))
TILELAB_CUDA_ANY(cudaHostAlloc, (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes, unsigned int flags),
                 cudaHostAlloc(tilelab_host::untyped(pointer), bytes, flags))
TILELAB_CUDA_ANY(cudaMallocPitch, (tilelab_host::AnyPointer<T> * pointer, std::size_t* pitch, std::size_t width, std::size_t height),
                 cudaMallocPitch(tilelab_host::untyped(pointer), pitch, width, height))
TILELAB_CUDA_ANY(cudaMallocAsync, (tilelab_host::AnyPointer<T> * pointer, std::size_t bytes, cudaStream_t stream),
                 cudaMallocAsync(tilelab_host::untyped(pointer), bytes, stream))
TILELAB_CUDA_ANY(cudaHostGetDevicePointer, (tilelab_host::AnyPointer<T> * device_pointer, void* host_pointer, unsigned int flags),
                 cudaHostGetDevicePointer(tilelab_host::untyped(device_pointer), host_pointer, flags))

// CUDA's runtime: copies and fills. Sizes, widths and pitches are in bytes; heights and depths count rows and slices. Copies from and to
// arrays are in runtime_textures.hpp, but for cudaMemcpy3D.

TILELAB_CUDA_CALLS(cudaMemcpy, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALLS(cudaMemcpy2D, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                   std::size_t height, cudaMemcpyKind kind);
TILELAB_CUDA_CALLS(cudaMemcpy3D, const cudaMemcpy3DParms* copy);
TILELAB_CUDA_CALLS(cudaMemcpyPeer, void* to, int to_device, const void* from, int from_device, std::size_t bytes);
TILELAB_CUDA_CALLS(cudaMemset, void* to, int value, std::size_t bytes);
TILELAB_CUDA_CALLS(cudaMemset2D, void* to, std::size_t pitch, int value, std::size_t width, std::size_t height);

// `symbol`: the program's own variable of the __device__ or __constant__ variable's name; it is never read or written.
TILELAB_CUDA_CALLS(cudaMemcpyToSymbol, const void* symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                   cudaMemcpyKind kind = cudaMemcpyHostToDevice);
TILELAB_CUDA_CALLS(cudaMemcpyFromSymbol, void* to, const void* symbol, std::size_t bytes, std::size_t offset = 0,
                   cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
TILELAB_CUDA_CALL cudaGetSymbolAddress(void** pointer, const void* symbol);

namespace tilelab_host {
// Where the program's own variable lies: it may have an operator& of its own.
template <typename T>
__attribute__((always_inline)) inline const void* place_of(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}
}  // namespace tilelab_host

TILELAB_CUDA_ANY(cudaMemcpyToSymbol,
                 (const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                  cudaMemcpyKind kind = cudaMemcpyHostToDevice),
                 cudaMemcpyToSymbol(tilelab_host::place_of(symbol), from, bytes, offset, kind))
TILELAB_CUDA_ANY(cudaMemcpyFromSymbol,
                 (void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost),
                 cudaMemcpyFromSymbol(to, tilelab_host::place_of(symbol), bytes, offset, kind))
TILELAB_CUDA_ANY(cudaMemcpyToSymbolAsync,
                 (const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr),
                 cudaMemcpyToSymbolAsync(tilelab_host::place_of(symbol), from, bytes, offset, kind, stream))
TILELAB_CUDA_ANY(cudaMemcpyFromSymbolAsync,
                 (void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                  cudaStream_t stream = nullptr),
                 cudaMemcpyFromSymbolAsync(to, tilelab_host::place_of(symbol), bytes, offset, kind, stream))
template <typename T, typename S>
TILELAB_CUDA_FORM cudaGetSymbolAddress(T** pointer, const S& symbol) {
  return cudaGetSymbolAddress(static_cast<void**>(static_cast<void*>(pointer)), tilelab_host::place_of(symbol));
}

// Copies that are given the address of an object that keeps its elements elsewhere, as `&v` of a std::vector: the compiler takes it, as any
// pointer is one to void. Such a copy is told, and not done. A std::array holds its elements itself and is memory like any other.

// Notes the mistake. Where the object lies, its own size, and whether the copy reads it.
TILELAB_CUDA_CALL tilelab_copy_of_container(const void* object, std::size_t object_bytes, std::size_t bytes, bool reads);

namespace tilelab_host {

// What allocates its elements: a vector, a string. An author's own class with data() may be meant to go to the device as it is.
template <typename T, typename = void, typename = void>
struct IsContainer : std::false_type {
  static constexpr std::size_t bytes = 0;
};
template <typename T>
struct IsContainer<T, decltype(static_cast<void>(std::declval<const T&>().data())),
                   decltype(static_cast<void>(std::declval<typename T::allocator_type>()))> : std::true_type {
  static constexpr std::size_t bytes = sizeof(T);
};

template <typename To, typename From>
using IfContainer = typename std::enable_if<IsContainer<To>::value || IsContainer<From>::value>::type;

template <typename To, typename From>
__attribute__((always_inline)) inline cudaError_t refuse_container(To* to, const From* from, std::size_t bytes) {
  return IsContainer<From>::value ? tilelab_copy_of_container(static_cast<const void*>(from), IsContainer<From>::bytes, bytes, true)
                                  : tilelab_copy_of_container(static_cast<const void*>(to), IsContainer<To>::bytes, bytes, false);
}

}  // namespace tilelab_host

template <typename To, typename From, typename = tilelab_host::IfContainer<To, From>>
TILELAB_CUDA_FORM cudaMemcpy(To* to, const From* from, std::size_t bytes, cudaMemcpyKind) {
  return tilelab_host::refuse_container(to, from, bytes);
}
template <typename To, typename From, typename = tilelab_host::IfContainer<To, From>>
TILELAB_CUDA_FORM cudaMemcpyAsync(To* to, const From* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr) {
  return tilelab_host::refuse_container(to, from, bytes);
}
