// Implements runtime_kernels.hpp, and what host_session.hpp declares about kernels.
#include "host/runtime_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "host/graphs/graph.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace tilelab_host {
namespace {

struct Configured {
  LaunchShape shape;
  Call call;
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

// A request, or a node of a graph where the stream is captured.
cudaError_t launch_or_capture(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                              const Call& call) {
  const auto captured = capture(shape.stream, call, [&](Work& work) { return kernel_work(kernel, shape, parameters, work, call); });
  return captured ? *captured : request_launch(kernel, shape, parameters, call);
}

}  // namespace

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  configured = {{grid, block, shared_bytes, stream, false}, {"launch", TILELAB_AT}};
}

void launch(const void* mark, const KernelParameter* parameters, std::size_t count, const void* called_from) {
  const std::optional<std::string> kernel = OwnSymbols::read().kernel_of_mark(number_of(mark));
  if (!kernel) {
    std::fputs("A kernel's name is not in the program's symbol table.\n", stderr);
    std::abort();
  }
  if (!configured) {
    (void)ask("note", {"", number_of(called_from)}, {{"kind", "not-configured"}, {"kernel", *kernel}});
    std::_Exit(EXIT_FAILURE);
  }
  const Configured with = *configured;
  configured.reset();
  (void)launch_or_capture(*kernel, with.shape, {parameters, count}, with.call);
}

cudaError_t find_kernel(const void* function, KernelFacts& facts, const Call& call) {
  static std::mutex known_mutex;
  static std::map<std::uintptr_t, KernelFacts> known;
  const std::lock_guard lock(known_mutex);
  const auto before = known.find(number_of(function));
  if (before == known.end()) {
    const Symbol* symbol = OwnSymbols::read().function_at(number_of(function));
    if (!symbol) return refuse(call, cudaErrorInvalidDeviceFunction);
    const Reply reply = ask("kernel", call, {{"name", symbol->name}});
    if (reply.error() != cudaSuccess) return reply.error();
    known[number_of(function)] = reply.fields.get<KernelFacts>();
    known[number_of(function)].name = symbol->name;
  }
  facts = known[number_of(function)];
  return cudaSuccess;
}

cudaError_t request_launch(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                           const Call& call) {
  json arguments = json::array();
  for (const KernelParameter& one : parameters) arguments.push_back(hex(one));
  return request("launch", call,
                 {{"kernel", kernel},
                  {"grid", lengths(shape.grid)},
                  {"block", lengths(shape.block)},
                  {"shared", shape.shared_bytes},
                  {"stream", number_of(shape.stream)},
                  {"cooperative", shape.cooperative},
                  {"arguments", std::move(arguments)}});
}

cudaError_t read_arguments(const void* function, void** arguments, KernelFacts& kernel, std::vector<KernelParameter>& parameters,
                           const Call& call) {
  if (const cudaError_t error = find_kernel(function, kernel, call); error != cudaSuccess) return error;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    if (!arguments || !arguments[i]) return refuse(call);
    parameters.push_back({arguments[i], kernel.sizes[i]});
  }
  return cudaSuccess;
}

}  // namespace tilelab_host

namespace {

cudaError_t launch_function(const void* function, const LaunchShape& shape, void** arguments, const Call& call) {
  KernelFacts kernel;
  std::vector<KernelParameter> parameters;
  if (const cudaError_t error = read_arguments(function, arguments, kernel, parameters, call); error != cudaSuccess) return error;
  return launch_or_capture(kernel.name, shape, parameters, {"launch", call.at});
}

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

}  // namespace

cudaError_t tilelab_host::best_block_size(int* grid_size, int* block_size, const void* kernel,
                                          std::size_t (*shared_bytes)(const void*, int), const void* context, int limit) {
  const Call call{"cudaOccupancyMaxPotentialBlockSize", TILELAB_AT};
  KernelFacts facts;
  if (!grid_size || !block_size) return refuse(call);
  if (const cudaError_t error = find_kernel(kernel, facts, call); error != cudaSuccess) return error;
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
  return launch_function(kernel, {grid, block, shared_bytes, stream, false}, arguments, TILELAB_CALL);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch_function(kernel, {grid, block, shared_bytes, stream, true}, arguments, TILELAB_CALL);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  KernelFacts facts;
  if (!attributes) return refuse(TILELAB_CALL);
  if (const cudaError_t error = find_kernel(kernel, facts, TILELAB_CALL); error != cudaSuccess) return error;
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
  if (const cudaError_t error = find_kernel(kernel, facts, TILELAB_CALL); error != cudaSuccess) return error;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) + facts.static_shared_bytes > the_device().sharedMemPerBlockOptin)
    return refuse(TILELAB_CALL);
  return request("kernel", TILELAB_CALL, {{"name", facts.name}, {"dynamic_shared_bytes", value}});
}
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache) {
  KernelFacts facts;
  return find_kernel(kernel, facts, TILELAB_CALL);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size, std::size_t shared_bytes) {
  KernelFacts facts;
  if (!blocks) return refuse(TILELAB_CALL);
  if (const cudaError_t error = find_kernel(kernel, facts, TILELAB_CALL); error != cudaSuccess) return error;
  return give(blocks, blocks_that_fit(facts, block_size, shared_bytes), TILELAB_CALL);
}

// Streams and events: each is a number of the broker's, which the program holds as a pointer.

namespace {

constexpr int least_priority = 0, greatest_priority = -5;  // as cudaDeviceGetStreamPriorityRange says

cudaError_t create_stream(cudaStream_t* stream, unsigned int flags, int priority, const Call& call) {
  if (!stream || flags > cudaStreamNonBlocking) return refuse(call);
  const json asked = {{"what", "create"}, {"stream", 0}, {"nonblocking", flags == cudaStreamNonBlocking}};
  if (const cudaError_t error = request("stream", call, asked, "stream", *stream); error != cudaSuccess) return error;
  remember_stream(*stream, {flags, std::clamp(priority, greatest_priority, least_priority)});
  return cudaSuccess;
}

cudaError_t on_stream(const char* what, cudaStream_t stream, const Call& call) {
  return request("stream", call, {{"what", what}, {"stream", number_of(stream)}});
}

cudaError_t create_event(cudaEvent_t* event, unsigned int flags, const Call& call) {
  if (!event) return refuse(call);
  const json asked = {{"what", "create"}, {"event", 0}, {"timed", (flags & cudaEventDisableTiming) == 0}};
  return request("event", call, asked, "event", *event);
}

cudaError_t on_event(const char* what, cudaEvent_t event, const Call& call) {
  return request("event", call, {{"what", what}, {"event", number_of(event)}});
}

cudaError_t wait_for(const char* what, cudaStream_t stream, const Call& call) {
  if (const auto refused = wait_in_capture(stream, call)) return *refused;
  return on_stream(what, stream, call);
}

cudaError_t wait_for(const char* what, cudaEvent_t event, const Call& call) {
  if (const auto refused = use_of_captured_event(event, call)) return *refused;
  return on_event(what, event, call);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, 0, TILELAB_CALL); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) { return create_stream(stream, flags, 0, TILELAB_CALL); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return create_stream(stream, flags, priority, TILELAB_CALL);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t error = on_stream("destroy", stream, TILELAB_CALL);
  if (error != cudaSuccess) return error;
  forget_stream(stream);
  drop_stream(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return wait_for("synchronize", stream, TILELAB_CALL); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return wait_for("query", stream, TILELAB_CALL); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (flags != cudaEventWaitDefault) return refuse(TILELAB_CALL);
  if (const auto captured = wait_for_event_in_capture(stream, event, TILELAB_CALL)) return *captured;
  return wait(stream, event, TILELAB_CALL);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) { return give(flags, traits_of(stream).flags, TILELAB_CALL); }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) { return give(priority, traits_of(stream).priority, TILELAB_CALL); }
// How caches are used is not imitated, and the priority orders nothing.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  if (!is_stream(stream)) return refuse(TILELAB_CALL, cudaErrorInvalidResourceHandle);
  const bool is_window = attribute == cudaStreamAttributeAccessPolicyWindow;
  if (!value || attribute == cudaLaunchAttributeCooperative ||
      (is_window && !(value->accessPolicyWindow.hitRatio >= 0 && value->accessPolicyWindow.hitRatio <= 1)))
    return refuse(TILELAB_CALL);
  if (attribute == cudaStreamAttributePriority)
    remember_stream(stream, {traits_of(stream).flags, std::clamp(value->priority, greatest_priority, least_priority)});
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* user_data, unsigned int flags) {
  if (!function || flags != 0) return refuse(TILELAB_CALL);
  if (const auto refused = wait_in_capture(stream, TILELAB_CALL)) return *refused;
  function(stream, on_stream("synchronize", stream, TILELAB_CALL), user_data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  const Call call = TILELAB_CALL;
  if (!function) return refuse(call);
  const cudaHostNodeParams params{function, user_data};
  const auto captured = capture(stream, call, [&](Work& work) { return host_work(&params, work, call); });
  return captured ? *captured : call_host(params, stream, call);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create_event(event, cudaEventDefault, TILELAB_CALL); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) { return create_event(event, flags, TILELAB_CALL); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const auto captured = record_in_capture(event, stream, TILELAB_CALL)) return *captured;
  return record(event, stream, TILELAB_CALL);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_for("synchronize", event, TILELAB_CALL); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return wait_for("query", event, TILELAB_CALL); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  forget_event(event);
  return on_event("destroy", event, TILELAB_CALL);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return refuse(TILELAB_CALL);
  const json asked = {{"what", "elapsed"}, {"event", number_of(start)}, {"other", number_of(end)}};
  return request("event", TILELAB_CALL, asked, "milliseconds", *milliseconds);
}
