// Implements runtime_kernels.hpp, and what host_session.hpp declares about kernels.
#include "host/runtime_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "host/graphs/graph.hpp"
#include "host/graphs/stream_capture.hpp"
#include "host/library/host_session.hpp"

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

// Streams and events: each is a number of the conductor's, which the program holds as a pointer.

namespace {

constexpr int least_priority = 0, greatest_priority = -5;  // as cudaDeviceGetStreamPriorityRange says

cudaError_t create_stream(cudaStream_t* stream, unsigned int flags, int priority, const char* call, std::uintptr_t at) {
  if (!stream || flags > cudaStreamNonBlocking) return refuse(call, at);
  const Reply reply = Session::open().ask(
      {{"op", "stream"}, {"what", "create"}, {"stream", 0}, {"nonblocking", flags == cudaStreamNonBlocking}, {"at", at}});
  if (reply.error() != cudaSuccess) return reply.error();
  *stream = reinterpret_cast<cudaStream_t>(reply.fields.value("stream", std::uintptr_t{0}));
  StreamTraits traits;
  traits.flags = flags;
  traits.priority = std::clamp(priority, greatest_priority, least_priority);
  remember_stream(*stream, traits);
  return cudaSuccess;
}

cudaError_t on_stream(const char* what, cudaStream_t stream, std::uintptr_t at) {
  return Session::open().call({{"op", "stream"}, {"what", what}, {"stream", number_of(stream)}, {"at", at}});
}

cudaError_t create_event(cudaEvent_t* event, unsigned int flags, std::uintptr_t at) {
  if (!event) return refuse("cudaEventCreate", at);
  const Reply reply = Session::open().ask(
      {{"op", "event"}, {"what", "create"}, {"event", 0}, {"timed", (flags & cudaEventDisableTiming) == 0}, {"at", at}});
  if (reply.error() == cudaSuccess) *event = reinterpret_cast<cudaEvent_t>(reply.fields.value("event", std::uintptr_t{0}));
  return reply.error();
}

cudaError_t on_event(const char* what, cudaEvent_t event, std::uintptr_t at) {
  return Session::open().call({{"op", "event"}, {"what", what}, {"event", number_of(event)}, {"at", at}});
}

cudaError_t wait_for(const char* what, cudaStream_t stream, const char* call, std::uintptr_t at) {
  if (const auto refused = wait_in_capture(stream, call, at)) return *refused;
  const cudaError_t error = on_stream(what, stream, at);
  pools_after_wait();
  return error;
}

cudaError_t wait_for(const char* what, cudaEvent_t event, const char* call, std::uintptr_t at) {
  if (const auto refused = use_of_captured_event(event, call, at)) return *refused;
  const cudaError_t error = on_event(what, event, at);
  pools_after_wait();
  return error;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, 0, "cudaStreamCreate", TILELAB_AT); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return create_stream(stream, flags, 0, "cudaStreamCreateWithFlags", TILELAB_AT);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return create_stream(stream, flags, priority, "cudaStreamCreateWithPriority", TILELAB_AT);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t error = on_stream("destroy", stream, TILELAB_AT);
  if (error != cudaSuccess) return error;
  forget_stream(stream);
  drop_stream(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return wait_for("synchronize", stream, "cudaStreamSynchronize", TILELAB_AT); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return wait_for("query", stream, "cudaStreamQuery", TILELAB_AT); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (flags != cudaEventWaitDefault) return refuse("cudaStreamWaitEvent", TILELAB_AT);
  if (const auto captured = wait_for_event_in_capture(stream, event, "cudaStreamWaitEvent", TILELAB_AT)) return *captured;
  return Session::open().call(
      {{"op", "stream"}, {"what", "wait"}, {"stream", number_of(stream)}, {"event", number_of(event)}, {"at", TILELAB_AT}});
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  if (!flags) return refuse("cudaStreamGetFlags", TILELAB_AT);
  *flags = traits_of(stream).flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!priority) return refuse("cudaStreamGetPriority", TILELAB_AT);
  *priority = traits_of(stream).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  if (!is_stream(stream)) return refuse("cudaStreamSetAttribute", TILELAB_AT, cudaErrorInvalidResourceHandle);
  StreamTraits traits = traits_of(stream);
  if (value && attribute == cudaStreamAttributeAccessPolicyWindow) {
    const cudaAccessPolicyWindow& window = value->accessPolicyWindow;
    if (!(window.hitRatio >= 0 && window.hitRatio <= 1)) return refuse("cudaStreamSetAttribute", TILELAB_AT);
    traits.window = window;
  } else if (value && attribute == cudaStreamAttributeSynchronizationPolicy) {
    traits.policy = value->syncPolicy;
  } else if (value && attribute == cudaStreamAttributePriority) {
    traits.priority = std::clamp(value->priority, greatest_priority, least_priority);
  } else {
    return refuse("cudaStreamSetAttribute", TILELAB_AT);
  }
  remember_stream(stream, traits);
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  if (!is_stream(stream)) return refuse("cudaStreamGetAttribute", TILELAB_AT, cudaErrorInvalidResourceHandle);
  const StreamTraits traits = traits_of(stream);
  if (value && attribute == cudaStreamAttributeAccessPolicyWindow)
    value->accessPolicyWindow = traits.window;
  else if (value && attribute == cudaStreamAttributeSynchronizationPolicy)
    value->syncPolicy = traits.policy;
  else if (value && attribute == cudaStreamAttributePriority)
    value->priority = traits.priority;
  else
    return refuse("cudaStreamGetAttribute", TILELAB_AT);
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  if (!is_stream(to) || !is_stream(from)) return refuse("cudaStreamCopyAttributes", TILELAB_AT, cudaErrorInvalidResourceHandle);
  StreamTraits traits = traits_of(from);
  traits.flags = traits_of(to).flags;
  remember_stream(to, traits);
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* user_data, unsigned int flags) {
  if (!function || flags != 0) return refuse("cudaStreamAddCallback", TILELAB_AT);
  if (const auto refused = wait_in_capture(stream, "cudaStreamAddCallback", TILELAB_AT)) return *refused;
  function(stream, on_stream("synchronize", stream, TILELAB_AT), user_data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  constexpr const char* call = "cudaLaunchHostFunc";
  const std::uintptr_t at = TILELAB_AT;
  if (!function) return refuse(call, at);
  const cudaHostNodeParams params{function, user_data};
  const auto captured = capture(stream, call, at, [&](Work& work) { return host_work(&params, work, call, at); });
  if (captured) return *captured;
  const cudaError_t error = on_stream("synchronize", stream, at);
  if (error == cudaSuccess) function(user_data);
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create_event(event, cudaEventDefault, TILELAB_AT); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) { return create_event(event, flags, TILELAB_AT); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const auto captured = record_in_capture(event, stream, "cudaEventRecord", TILELAB_AT)) return *captured;
  return Session::open().call(
      {{"op", "event"}, {"what", "record"}, {"event", number_of(event)}, {"stream", number_of(stream)}, {"at", TILELAB_AT}});
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_for("synchronize", event, "cudaEventSynchronize", TILELAB_AT); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return wait_for("query", event, "cudaEventQuery", TILELAB_AT); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  forget_event(event);
  return on_event("destroy", event, TILELAB_AT);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return refuse("cudaEventElapsedTime", TILELAB_AT);
  const Reply reply = Session::open().ask(
      {{"op", "event"}, {"what", "elapsed"}, {"event", number_of(start)}, {"other", number_of(end)}, {"at", TILELAB_AT}});
  if (reply.error() == cudaSuccess) *milliseconds = reply.fields.value("milliseconds", 0.0F);
  return reply.error();
}
