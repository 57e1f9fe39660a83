// Implements what runtime_kernels.hpp declares about streams and events. A stream or an event is a number of the conductor's, which the
// program holds as a pointer.
#include "host_api/runtime_kernels.hpp"

#include <algorithm>

#include "host_api/graphs/graph.hpp"
#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/memory_pools.hpp"

using namespace tilelab_host;

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
