// CUDA's runtime: streams, events and launches.
#pragma once

#include <cstddef>

#include "runtime_types.hpp"

namespace tilelab_host {

// What a launch and a kernel become in host code. `kernel<<<grid, block, shared, stream>>>(a, b)` is written as
//
//   (::tilelab_host::configure(grid, block, shared, stream), kernel(a, b))
//
// and the body of the kernel as `{ static char tilelab_kernel_mark; ::tilelab_host::launch_kernel(&tilelab_kernel_mark, a, b); }`. So the
// compiler itself chooses overloads, deduces template arguments and converts arguments, and the mark's name in the program's symbol
// table says which instance was called.

// The next call of a kernel in this thread is this launch; its place is where configure() returns to.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr);

struct KernelParameter {
  const void* at;
  std::size_t bytes;
};
// `called_from`: where the stub returns to. A kernel that is called like a function was not configured, and the program ends.
void launch(const void* mark, const KernelParameter* parameters, std::size_t count, const void* called_from);

template <typename... Types>
__attribute__((always_inline)) inline void launch_kernel(const void* mark, Types&... parameters) {
  const KernelParameter list[] = {
      {const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(parameters))), sizeof parameters}..., {nullptr, 0}};
  launch(mark, list, sizeof...(parameters), __builtin_return_address(0));
}

}  // namespace tilelab_host

// CUDA's runtime: streams and events. Times are in milliseconds. Sharing with other processes is missing.

TILELAB_CUDA_CALL cudaStreamCreate(cudaStream_t* stream);
TILELAB_CUDA_CALL cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
TILELAB_CUDA_CALL cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
TILELAB_CUDA_CALL cudaStreamDestroy(cudaStream_t stream);
TILELAB_CUDA_CALL cudaStreamSynchronize(cudaStream_t stream);
TILELAB_CUDA_CALL cudaStreamQuery(cudaStream_t stream);
TILELAB_CUDA_CALL cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
TILELAB_CUDA_CALL cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
TILELAB_CUDA_CALL cudaStreamGetPriority(cudaStream_t stream, int* priority);
// What a stream is told about caches and waiting changes nothing here.
TILELAB_CUDA_CALL cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value);
// The host's function runs when the stream has reached it: the call waits for that here.
TILELAB_CUDA_CALL cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* user_data, unsigned int flags);
TILELAB_CUDA_CALL cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);

TILELAB_CUDA_CALL cudaEventCreate(cudaEvent_t* event);
TILELAB_CUDA_CALL cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
TILELAB_CUDA_CALL cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
TILELAB_CUDA_CALL cudaEventSynchronize(cudaEvent_t event);
TILELAB_CUDA_CALL cudaEventQuery(cudaEvent_t event);
TILELAB_CUDA_CALL cudaEventDestroy(cudaEvent_t event);
TILELAB_CUDA_CALL cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

TILELAB_CUDA_FORM cudaEventCreate(cudaEvent_t* event, unsigned int flags) { return cudaEventCreateWithFlags(event, flags); }

// CUDA's runtime: launches by function, what a kernel needs, and how many blocks fit on a multiprocessor. `kernel` is the address of a
// __global__ function. Launches on several devices are missing.

TILELAB_CUDA_CALL cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                   cudaStream_t stream);
TILELAB_CUDA_CALL cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                              cudaStream_t stream);

TILELAB_CUDA_CALL cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
TILELAB_CUDA_CALL cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
TILELAB_CUDA_CALL cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config);

TILELAB_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size, std::size_t shared_bytes);

namespace tilelab_host {
template <typename T>
__attribute__((always_inline)) inline const void* code_of(T* kernel) {
  return reinterpret_cast<const void*>(kernel);
}
// The block size with the most threads on a multiprocessor, the largest of equal ones: `shared_bytes` says what a block of a size needs.
cudaError_t best_block_size(int* grid_size, int* block_size, const void* kernel, std::size_t (*shared_bytes)(const void*, int),
                            const void* context, int limit);
}  // namespace tilelab_host

TILELAB_CUDA_ANY(cudaLaunchKernel,
                 (T * kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr),
                 cudaLaunchKernel(tilelab_host::code_of(kernel), grid, block, arguments, shared_bytes, stream))
TILELAB_CUDA_ANY(cudaLaunchCooperativeKernel,
                 (T * kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr),
                 cudaLaunchCooperativeKernel(tilelab_host::code_of(kernel), grid, block, arguments, shared_bytes, stream))
TILELAB_CUDA_ANY(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, T* kernel),
                 cudaFuncGetAttributes(attributes, tilelab_host::code_of(kernel)))
TILELAB_CUDA_ANY(cudaFuncSetAttribute, (T * kernel, cudaFuncAttribute attribute, int value),
                 cudaFuncSetAttribute(tilelab_host::code_of(kernel), attribute, value))
TILELAB_CUDA_ANY(cudaFuncSetCacheConfig, (T * kernel, cudaFuncCache config), cudaFuncSetCacheConfig(tilelab_host::code_of(kernel), config))
TILELAB_CUDA_ANY(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, T kernel, int block_size, std::size_t shared_bytes),
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, tilelab_host::code_of(kernel), block_size, shared_bytes))
template <typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, T kernel, std::size_t shared_bytes = 0,
                                                     int limit = 0) {
  return tilelab_host::best_block_size(
      grid_size, block_size, tilelab_host::code_of(kernel), [](const void* bytes, int) { return *static_cast<const std::size_t*>(bytes); },
      &shared_bytes, limit);
}
template <typename Size, typename T>
TILELAB_CUDA_FORM cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size, T kernel, Size shared_bytes,
                                                                 int limit = 0) {
  return tilelab_host::best_block_size(
      grid_size, block_size, tilelab_host::code_of(kernel),
      [](const void* size, int block) { return static_cast<std::size_t>((*static_cast<const Size*>(size))(block)); }, &shared_bytes, limit);
}
