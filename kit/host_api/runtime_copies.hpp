// CUDA's runtime: copies and fills. Sizes, widths and pitches are in bytes; heights and depths count rows and slices. Copies from and to
// arrays are in runtime_arrays.hpp, but for cudaMemcpy3D.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_types.hpp"

TILELAB_CUDA_CALL cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                               std::size_t height, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                    std::size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemcpy3D(const cudaMemcpy3DParms* copy);
TILELAB_CUDA_CALL cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes);
TILELAB_CUDA_CALL cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                      cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* copy);
TILELAB_CUDA_CALL cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* copy, cudaStream_t stream = nullptr);

TILELAB_CUDA_CALL cudaMemset(void* to, int value, std::size_t bytes);
TILELAB_CUDA_CALL cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height);
TILELAB_CUDA_CALL cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                    cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent);
TILELAB_CUDA_CALL cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = nullptr);

// `symbol`: the program's own variable of the __device__ or __constant__ variable's name; it is never read or written.
TILELAB_CUDA_CALL cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                     cudaMemcpyKind kind = cudaMemcpyHostToDevice);
TILELAB_CUDA_CALL cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset = 0,
                                       cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
TILELAB_CUDA_CALL cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                          cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaGetSymbolAddress(void** pointer, const void* symbol);
TILELAB_CUDA_CALL cudaGetSymbolSize(std::size_t* bytes, const void* symbol);

namespace tilelab_host {
// Where the program's own variable lies: it may have an operator& of its own.
template <typename T>
__attribute__((always_inline)) inline const void* place_of(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}
}  // namespace tilelab_host

template <typename T>
TILELAB_CUDA_FORM cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                     cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(tilelab_host::place_of(symbol), from, bytes, offset, kind);
}
template <typename T>
TILELAB_CUDA_FORM cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                       cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, tilelab_host::place_of(symbol), bytes, offset, kind);
}
template <typename T>
TILELAB_CUDA_FORM cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                          cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync(tilelab_host::place_of(symbol), from, bytes, offset, kind, stream);
}
template <typename T>
TILELAB_CUDA_FORM cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(to, tilelab_host::place_of(symbol), bytes, offset, kind, stream);
}
template <typename T, typename S>
TILELAB_CUDA_FORM cudaGetSymbolAddress(T** pointer, const S& symbol) {
  return cudaGetSymbolAddress(static_cast<void**>(static_cast<void*>(pointer)), tilelab_host::place_of(symbol));
}
template <typename S>
TILELAB_CUDA_FORM cudaGetSymbolSize(std::size_t* bytes, const S& symbol) {
  return cudaGetSymbolSize(bytes, tilelab_host::place_of(symbol));
}
