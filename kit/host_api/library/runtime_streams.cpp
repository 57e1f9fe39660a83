// Implements runtime_streams.hpp. A stream or an event is a number of the conductor's, which the program holds as a pointer.
#include "host_api/runtime_streams.hpp"

#include "host_api/library/host_session.hpp"

using namespace tilelab_host;

namespace {

cudaError_t refuse(const char* call, std::uintptr_t at, cudaError_t error = cudaErrorInvalidValue) {
  return Session::open().raise(error, call, at);
}

cudaError_t create_stream(cudaStream_t* stream, unsigned int flags, const char* call, std::uintptr_t at) {
  if (!stream || flags > cudaStreamNonBlocking) return refuse(call, at);
  const Reply reply = Session::open().ask(
      {{"op", "stream"}, {"what", "create"}, {"stream", 0}, {"nonblocking", flags == cudaStreamNonBlocking}, {"at", at}});
  if (reply.error() == cudaSuccess) *stream = reinterpret_cast<cudaStream_t>(reply.fields.value("stream", std::uintptr_t{0}));
  return reply.error();
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

cudaError_t record(cudaEvent_t event, cudaStream_t stream, std::uintptr_t at) {
  return Session::open().call(
      {{"op", "event"}, {"what", "record"}, {"event", number_of(event)}, {"stream", number_of(stream)}, {"at", at}});
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, "cudaStreamCreate", TILELAB_AT); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return create_stream(stream, flags, "cudaStreamCreateWithFlags", TILELAB_AT);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
  return create_stream(stream, flags, "cudaStreamCreateWithPriority", TILELAB_AT);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return on_stream("destroy", stream, TILELAB_AT); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return on_stream("synchronize", stream, TILELAB_AT); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return on_stream("query", stream, TILELAB_AT); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return Session::open().call(
      {{"op", "stream"}, {"what", "wait"}, {"stream", number_of(stream)}, {"event", number_of(event)}, {"at", TILELAB_AT}});
}
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int* flags) {
  if (!flags) return refuse("cudaStreamGetFlags", TILELAB_AT);
  *flags = cudaStreamDefault;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  if (!priority) return refuse("cudaStreamGetPriority", TILELAB_AT);
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* user_data, unsigned int flags) {
  if (!function || flags != 0) return refuse("cudaStreamAddCallback", TILELAB_AT);
  function(stream, on_stream("synchronize", stream, TILELAB_AT), user_data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (!function) return refuse("cudaLaunchHostFunc", TILELAB_AT);
  const cudaError_t error = on_stream("synchronize", stream, TILELAB_AT);
  if (error == cudaSuccess) function(user_data);
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create_event(event, cudaEventDefault, TILELAB_AT); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) { return create_event(event, flags, TILELAB_AT); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return record(event, stream, TILELAB_AT); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) { return record(event, stream, TILELAB_AT); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return on_event("synchronize", event, TILELAB_AT); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return on_event("query", event, TILELAB_AT); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return on_event("destroy", event, TILELAB_AT); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return refuse("cudaEventElapsedTime", TILELAB_AT);
  const Reply reply = Session::open().ask(
      {{"op", "event"}, {"what", "elapsed"}, {"event", number_of(start)}, {"other", number_of(end)}, {"at", TILELAB_AT}});
  if (reply.error() == cudaSuccess) *milliseconds = reply.fields.value("milliseconds", 0.0F);
  return reply.error();
}
