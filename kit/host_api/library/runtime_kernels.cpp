// Implements runtime_kernels.hpp. How many blocks fit is computed from threads, blocks, registers and shared memory, as CUDA's occupancy
// calculator does; the number of registers is the conductor's guess.
#include "host_api/runtime_kernels.hpp"

#include <algorithm>

#include "host_api/library/device_table.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/kernel_launches.hpp"

using namespace tilelab_host;

namespace {

// On one multiprocessor. Registers are given to warps in units of 256.
int blocks_that_fit(const KernelFacts& kernel, int block_size, std::size_t shared_bytes) {
  const cudaDeviceProp& device = the_device();
  if (block_size <= 0 || block_size > device.maxThreadsPerBlock) return 0;
  const int warps = (block_size + device.warpSize - 1) / device.warpSize;
  const int of_warp = (std::max(kernel.registers, 1) * device.warpSize + 255) / 256 * 256;
  int blocks = std::min(device.maxBlocksPerMultiProcessor, device.maxThreadsPerMultiProcessor / (warps * device.warpSize));
  blocks = std::min(blocks, device.regsPerMultiprocessor / of_warp / warps);
  const std::size_t shared = kernel.static_shared_bytes + shared_bytes + device.reservedSharedMemPerBlock;
  if (shared > device.sharedMemPerMultiprocessor) return 0;
  return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(blocks), device.sharedMemPerMultiprocessor / shared));
}

cudaError_t occupancy(int* blocks, const void* function, int block_size, std::size_t shared_bytes, const char* call, std::uintptr_t at) {
  KernelFacts kernel;
  if (!blocks) return refuse(call, at);
  if (const cudaError_t error = find_kernel(function, kernel, call, at); error != cudaSuccess) return error;
  *blocks = blocks_that_fit(kernel, block_size, shared_bytes);
  return cudaSuccess;
}

cudaError_t need_kernel(const void* function, const char* call, std::uintptr_t at) {
  KernelFacts kernel;
  return find_kernel(function, kernel, call, at);
}

}  // namespace

cudaError_t tilelab_host::best_block_size(int* grid_size, int* block_size, const void* kernel,
                                          std::size_t (*shared_bytes)(const void*, int), const void* context, int limit) {
  constexpr const char* call = "cudaOccupancyMaxPotentialBlockSize";
  KernelFacts facts;
  if (!grid_size || !block_size) return refuse(call, TILELAB_AT);
  if (const cudaError_t error = find_kernel(kernel, facts, call, TILELAB_AT); error != cudaSuccess) return error;
  const cudaDeviceProp& device = the_device();
  const int largest = limit > 0 ? std::min(limit, device.maxThreadsPerBlock) : device.maxThreadsPerBlock;
  int best = 0, blocks = 0;
  for (int size = (largest + device.warpSize - 1) / device.warpSize * device.warpSize; size > 0; size -= device.warpSize) {
    const int used = std::min(size, largest);
    const int fit = blocks_that_fit(facts, used, shared_bytes(context, used));
    if (fit * used > blocks * best) {
      best = used;
      blocks = fit;
    }
  }
  *block_size = best;
  *grid_size = blocks * device.multiProcessorCount;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes, cudaStream_t stream) {
  return launch_function(kernel, {grid, block, shared_bytes, stream, false}, arguments, "cudaLaunchKernel", TILELAB_AT);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch_function(kernel, {grid, block, shared_bytes, stream, true}, arguments, "cudaLaunchCooperativeKernel", TILELAB_AT);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  if (!config || (config->numAttrs > 0 && !config->attrs)) return refuse("cudaLaunchKernelExC", TILELAB_AT);
  LaunchShape shape{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, false};
  for (unsigned int i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& one = config->attrs[i];
    const auto& cluster = one.val.clusterDim;
    if (one.id == cudaLaunchAttributeCooperative) shape.cooperative = one.val.cooperative != 0;
    if (one.id == cudaLaunchAttributeClusterDimension && static_cast<unsigned long long>(cluster.x) * cluster.y * cluster.z > 1)
      return refuse("cudaLaunchKernelExC", TILELAB_AT, cudaErrorNotSupported);
  }
  return launch_function(kernel, shape, arguments, "cudaLaunchKernelExC", TILELAB_AT);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  KernelFacts facts;
  if (!attributes) return refuse("cudaFuncGetAttributes", TILELAB_AT);
  if (const cudaError_t error = find_kernel(kernel, facts, "cudaFuncGetAttributes", TILELAB_AT); error != cudaSuccess) return error;
  *attributes = {};
  attributes->sharedSizeBytes = facts.static_shared_bytes;
  attributes->constSizeBytes = facts.const_bytes;
  attributes->localSizeBytes = facts.local_bytes;
  attributes->maxThreadsPerBlock = facts.max_threads;
  attributes->numRegs = facts.registers;
  attributes->ptxVersion = attributes->binaryVersion = facts.binary_version;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(the_device().sharedMemPerBlock - std::min(the_device().sharedMemPerBlock, facts.static_shared_bytes));
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  KernelFacts facts;
  if (const cudaError_t error = find_kernel(kernel, facts, "cudaFuncSetAttribute", TILELAB_AT); error != cudaSuccess) return error;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) + facts.static_shared_bytes > the_device().sharedMemPerBlockOptin)
    return refuse("cudaFuncSetAttribute", TILELAB_AT);
  return Session::open().call({{"op", "kernel"}, {"name", facts.name}, {"dynamic_shared_bytes", value}, {"at", TILELAB_AT}});
}
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache) { return need_kernel(kernel, "cudaFuncSetCacheConfig", TILELAB_AT); }
cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig) {
  return need_kernel(kernel, "cudaFuncSetSharedMemConfig", TILELAB_AT);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size, std::size_t shared_bytes) {
  return occupancy(blocks, kernel, block_size, shared_bytes, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", TILELAB_AT);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int block_size,
                                                                   std::size_t shared_bytes, unsigned int) {
  return occupancy(blocks, kernel, block_size, shared_bytes, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", TILELAB_AT);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes, const void* kernel, int blocks, int block_size) {
  constexpr const char* call = "cudaOccupancyAvailableDynamicSMemPerBlock";
  KernelFacts facts;
  if (!shared_bytes || blocks <= 0 || block_size <= 0) return refuse(call, TILELAB_AT);
  if (const cudaError_t error = find_kernel(kernel, facts, call, TILELAB_AT); error != cudaSuccess) return error;
  const cudaDeviceProp& device = the_device();
  const std::size_t share = std::min(device.sharedMemPerMultiprocessor / static_cast<std::size_t>(blocks),
                                     device.sharedMemPerBlockOptin + device.reservedSharedMemPerBlock);
  const std::size_t used = facts.static_shared_bytes + device.reservedSharedMemPerBlock;
  *shared_bytes = share > used ? share - used : 0;
  return cudaSuccess;
}
