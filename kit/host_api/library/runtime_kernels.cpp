// Implements runtime_kernels.hpp and kernel_launches.hpp.
#include "host_api/runtime_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/kernel_launches.hpp"
#include "host_api/library/own_symbols.hpp"

using namespace tilelab_host;

namespace tilelab_host {
namespace {

struct Configured {
  LaunchShape shape;
  std::uintptr_t at = 0;
};
thread_local std::optional<Configured> configured;

std::string hex(const KernelParameter& parameter) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * parameter.bytes);
  for (std::size_t i = 0; i < parameter.bytes; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(parameter.at)[i];
    text += {digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

json lengths(dim3 one) { return {one.x, one.y, one.z}; }

}  // namespace

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  configured = {{grid, block, shared_bytes, stream, false}, TILELAB_AT};
}

void launch(const void* mark, const KernelParameter* parameters, std::size_t count, const void* called_from) {
  const std::optional<std::string> kernel = OwnSymbols::read().kernel_of_mark(number_of(mark));
  if (!kernel) {
    std::fputs("A kernel's name is not in the program's symbol table.\n", stderr);
    std::abort();
  }
  if (!configured) {
    (void)Session::open().ask({{"op", "note"}, {"kind", "not-configured"}, {"kernel", *kernel}, {"at", number_of(called_from)}});
    std::_Exit(EXIT_FAILURE);
  }
  const Configured with = *configured;
  configured.reset();
  (void)launch_or_capture(*kernel, with.shape, {parameters, count}, "launch", with.at);
}

cudaError_t find_kernel(const void* function, KernelFacts& facts, const char* call, std::uintptr_t at) {
  static std::mutex known_mutex;
  static std::map<std::uintptr_t, KernelFacts> known;
  const std::lock_guard lock(known_mutex);
  const auto before = known.find(number_of(function));
  if (before == known.end()) {
    const Symbol* symbol = OwnSymbols::read().function_at(number_of(function));
    if (!symbol) return Session::open().raise(cudaErrorInvalidDeviceFunction, call, at);
    const Reply reply = Session::open().ask({{"op", "kernel"}, {"name", symbol->name}, {"at", at}});
    if (reply.error() != cudaSuccess) return reply.error();
    const auto number = [&](const char* key) { return reply.fields.value(key, 0); };
    known[number_of(function)] = {symbol->name,
                                  reply.fields.value("sizes", std::vector<std::size_t>()),
                                  number("registers"),
                                  number("max_threads"),
                                  number("binary_version"),
                                  reply.fields.value("static_shared_bytes", std::size_t{0}),
                                  reply.fields.value("local_bytes", std::size_t{0}),
                                  reply.fields.value("const_bytes", std::size_t{0})};
  }
  facts = known[number_of(function)];
  return cudaSuccess;
}

cudaError_t request_launch(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                           std::uintptr_t at) {
  json arguments = json::array();
  for (const KernelParameter& one : parameters) arguments.push_back(hex(one));
  json request = {{"op", "launch"},
                  {"kernel", kernel},
                  {"grid", lengths(shape.grid)},
                  {"block", lengths(shape.block)},
                  {"shared", shape.shared_bytes},
                  {"stream", number_of(shape.stream)},
                  {"cooperative", shape.cooperative},
                  {"arguments", std::move(arguments)},
                  {"at", at}};
  if (shape.graph != 0) request["graph"] = shape.graph;
  if (shape.planned_by != nullptr) request["planned_by"] = shape.planned_by;
  return Session::open().call(request);
}

cudaError_t launch_or_capture(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                              const char* call, std::uintptr_t at) {
  const auto captured = capture(shape.stream, call, at, [&](Work& work) {
    LaunchShape planned = shape;
    planned.planned_by = call;
    planned.stream = nullptr;
    KernelWork made{OwnSymbols::read().function_named(kernel), kernel, shape, {}};
    for (const KernelParameter& one : parameters) {
      const auto* const first = static_cast<const unsigned char*>(one.at);
      made.values.emplace_back(first, first + one.bytes);
    }
    const cudaError_t error = request_launch(kernel, planned, parameters, at);
    work = std::move(made);
    return error;
  });
  return captured ? *captured : request_launch(kernel, shape, parameters, at);
}

cudaError_t launch_function(const void* function, const LaunchShape& shape, void** arguments, const char* call, std::uintptr_t at) {
  KernelFacts kernel;
  if (const cudaError_t error = find_kernel(function, kernel, call, at); error != cudaSuccess) return error;
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    if (!arguments || !arguments[i]) return Session::open().raise(cudaErrorInvalidValue, call, at);
    parameters.push_back({arguments[i], kernel.sizes[i]});
  }
  return launch_or_capture(kernel.name, shape, parameters, "launch", at);
}

}  // namespace tilelab_host

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
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache) {
  KernelFacts facts;
  return find_kernel(kernel, facts, "cudaFuncSetCacheConfig", TILELAB_AT);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size, std::size_t shared_bytes) {
  return occupancy(blocks, kernel, block_size, shared_bytes, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", TILELAB_AT);
}
