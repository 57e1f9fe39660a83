// CUDA's runtime: launches by function, what a kernel needs, and how many blocks fit on a multiprocessor. `kernel` is the address of a
// __global__ function. Launches on several devices are missing.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_types.hpp"

TILELAB_CUDA_CALL cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                   cudaStream_t stream);
TILELAB_CUDA_CALL cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                              cudaStream_t stream);
TILELAB_CUDA_CALL cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments);

TILELAB_CUDA_CALL cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
TILELAB_CUDA_CALL cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
TILELAB_CUDA_CALL cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config);
TILELAB_CUDA_CALL cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config);

TILELAB_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size, std::size_t shared_bytes);
TILELAB_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int block_size,
                                                                         std::size_t shared_bytes, unsigned int flags);
TILELAB_CUDA_CALL cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes, const void* kernel, int blocks, int block_size);

namespace tilelab_host {
template <typename T>
__attribute__((always_inline)) inline const void* code_of(T* kernel) {
  return reinterpret_cast<const void*>(kernel);
}
// The block size with the most threads on a multiprocessor, the largest of equal ones: `shared_bytes` says what a block of a size needs.
cudaError_t best_block_size(int* grid_size, int* block_size, const void* kernel, std::size_t (*shared_bytes)(const void*, int),
                            const void* context, int limit);
}  // namespace tilelab_host

template <typename T>
TILELAB_CUDA_FORM cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes = 0,
                                   cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(tilelab_host::code_of(kernel), grid, block, arguments, shared_bytes, stream);
}
template <typename T>
TILELAB_CUDA_FORM cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes = 0,
                                              cudaStream_t stream = nullptr) {
  return cudaLaunchCooperativeKernel(tilelab_host::code_of(kernel), grid, block, arguments, shared_bytes, stream);
}
template <typename... Parameters, typename... Arguments>
TILELAB_CUDA_FORM cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments) {
  return [&](Parameters... copies) __attribute__((always_inline)) {
    void* places[] = {const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(copies)))..., nullptr};
    return cudaLaunchKernelExC(config, tilelab_host::code_of(kernel), places);
  }(static_cast<Arguments&&>(arguments)...);
}
template <typename T>
TILELAB_CUDA_FORM cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return cudaFuncGetAttributes(attributes, tilelab_host::code_of(kernel));
}
template <typename T>
TILELAB_CUDA_FORM cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(tilelab_host::code_of(kernel), attribute, value);
}
template <typename T>
TILELAB_CUDA_FORM cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(tilelab_host::code_of(kernel), config);
}
template <typename T>
TILELAB_CUDA_FORM cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(tilelab_host::code_of(kernel), config);
}
template <typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int block_size, std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, tilelab_host::code_of(kernel), block_size, shared_bytes);
}
template <typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int block_size, std::size_t shared_bytes,
                                                                         unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, tilelab_host::code_of(kernel), block_size, shared_bytes, flags);
}
template <typename T>
TILELAB_CUDA_FORM cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes, T* kernel, int blocks, int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, tilelab_host::code_of(kernel), blocks, block_size);
}
template <typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, T kernel, std::size_t shared_bytes = 0,
                                                     int limit = 0) {
  return tilelab_host::best_block_size(
      grid_size, block_size, tilelab_host::code_of(kernel), [](const void* bytes, int) { return *static_cast<const std::size_t*>(bytes); },
      &shared_bytes, limit);
}
template <typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, T kernel, std::size_t shared_bytes = 0,
                                                              int limit = 0, unsigned int /*flags*/ = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, shared_bytes, limit);
}
template <typename Size, typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size, T kernel, Size shared_bytes,
                                                                 int limit = 0) {
  return tilelab_host::best_block_size(
      grid_size, block_size, tilelab_host::code_of(kernel),
      [](const void* size, int block) { return static_cast<std::size_t>((*static_cast<const Size*>(size))(block)); }, &shared_bytes, limit);
}
