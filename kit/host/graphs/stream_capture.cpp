// Implements what graph.hpp says of streams, and what runtime_graphs.hpp declares about capture.
#include "host/graphs/graph.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace tilelab_host {
namespace {

// Never destroyed: destructors of the program's objects may still use streams.
struct StreamTable {
  std::mutex mutex;
  std::map<cudaStream_t, StreamTraits> streams;
  std::map<cudaStream_t, std::vector<cudaStream_t>> branches;
};
StreamTable& stream_table() {
  static StreamTable* const made = new StreamTable;
  return *made;
}

// The legacy default stream has two names.
cudaStream_t one_name(cudaStream_t stream) { return stream == cudaStreamLegacy ? nullptr : stream; }

struct Capture {
  std::uint64_t id = 0;
  cudaStream_t origin = nullptr;
  std::shared_ptr<Graph> graph;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool is_invalid = false;
  std::map<cudaStream_t, std::vector<GraphNode*>> last;  // of each stream, what its next node comes after
  std::vector<std::vector<GraphNode*>> gone;             // the same of streams that were destroyed
};
struct CapturedEvent {
  std::uint64_t id = 0;
  std::vector<GraphNode*> last;
};

// Never destroyed, as the graphs are not.
struct Captures {
  std::map<std::uint64_t, Capture> all;
  std::map<cudaEvent_t, CapturedEvent> events;
  std::uint64_t next = 1;
};
Captures& captures() {
  static Captures* const made = new Captures;
  return *made;
}

Capture* capture_of(cudaStream_t stream) {
  for (auto& [id, one] : captures().all) {
    if (one.last.contains(stream)) return &one;
  }
  return nullptr;
}

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

void join(std::vector<GraphNode*>& to, const std::vector<GraphNode*>& more) {
  for (GraphNode* const one : more) {
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
  }
}

// The origin's next node would come after everything that the streams have done.
bool is_joined(const Capture& one) {
  const std::vector<GraphNode*>& end = one.last.at(one.origin);
  const auto is_reached = [&](const GraphNode* node) {
    return std::ranges::any_of(end, [&](const GraphNode* last) { return Graph::leads(*node, *last); });
  };
  const auto is_in = [&](const std::vector<GraphNode*>& last) { return std::ranges::all_of(last, is_reached); };
  return std::ranges::all_of(one.last, [&](const auto& stream) { return stream.first == one.origin || is_in(stream.second); }) &&
         std::ranges::all_of(one.gone, is_in);
}

void forget_capture(std::uint64_t id) {
  captures().all.erase(id);
  std::erase_if(captures().events, [&](const auto& one) { return one.second.id == id; });
}

// The call is not allowed, and what is captured becomes no graph.
cudaError_t spoil(Capture& one, cudaError_t error, const Call& call) {
  one.is_invalid = true;
  return refuse(call, error);
}
// The same of all captures that the call concerns. Nothing: it concerns none.
template <typename Concerns>
std::optional<cudaError_t> spoil_all(cudaError_t error, const Call& call, const Concerns& concerns) {
  const std::lock_guard lock(graphs_mutex());
  bool is_any = false;
  for (auto& [id, one] : captures().all) {
    const bool counts = concerns(one);
    is_any |= counts;
    one.is_invalid |= counts;
  }
  return is_any ? std::optional(refuse(call, error)) : std::nullopt;
}

}  // namespace

void remember_stream(cudaStream_t stream, StreamTraits traits) {
  const std::lock_guard lock(stream_table().mutex);
  stream_table().streams[stream] = traits;
}

StreamTraits traits_of(cudaStream_t stream) {
  const std::lock_guard lock(stream_table().mutex);
  const auto found = stream_table().streams.find(stream);
  return found == stream_table().streams.end() ? StreamTraits{} : found->second;
}

bool is_stream(cudaStream_t stream) {
  const std::lock_guard lock(stream_table().mutex);
  return number_of(stream) <= number_of(cudaStreamPerThread) || stream_table().streams.contains(stream);
}

bool is_blocking(cudaStream_t stream) { return (traits_of(stream).flags & cudaStreamNonBlocking) == 0; }

std::vector<cudaStream_t> branches_of(cudaStream_t stream, std::size_t count) {
  const std::lock_guard lock(stream_table().mutex);
  std::vector<cudaStream_t>& made = stream_table().branches[one_name(stream)];
  while (made.size() < count) {
    cudaStream_t branch = nullptr;
    const json asked = {{"what", "create"}, {"stream", 0}, {"nonblocking", true}, {"hidden", true}};
    if (request("stream", {}, asked, "stream", branch) != cudaSuccess) break;
    made.push_back(branch);
  }
  std::vector<cudaStream_t> all(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(std::min(count, made.size())));
  all.resize(count, stream);
  return all;
}

void drop_stream(cudaStream_t stream) {
  const std::lock_guard lock(stream_table().mutex);
  stream_table().streams.erase(stream);
  for (const cudaStream_t branch : stream_table().branches[stream])
    (void)request("stream", {}, {{"what", "destroy"}, {"stream", number_of(branch)}});
  stream_table().branches.erase(stream);
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream, const Call& call) {
  return request("event", call, {{"what", "record"}, {"event", number_of(event)}, {"stream", number_of(stream)}});
}
cudaError_t wait(cudaStream_t stream, cudaEvent_t event, const Call& call) {
  return request("stream", call, {{"what", "wait"}, {"stream", number_of(stream)}, {"event", number_of(event)}});
}
cudaError_t call_host(const cudaHostNodeParams& host, cudaStream_t stream, const Call& call) {
  const cudaError_t error = request("stream", call, {{"what", "synchronize"}, {"stream", number_of(stream)}});
  if (error == cudaSuccess) host.fn(host.userData);
  return error;
}

bool is_any_captured() {
  const std::lock_guard lock(graphs_mutex());
  return !captures().all.empty();
}

std::optional<cudaError_t> use_of_legacy_stream(const Call& call) {
  return spoil_all(cudaErrorStreamCaptureImplicit, call, [](const Capture& one) {
    return std::ranges::any_of(one.last, [](const auto& stream) { return is_blocking(stream.first); });
  });
}

std::optional<cudaError_t> capture(cudaStream_t stream, const Call& call, const MakeWork& make) {
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call) : std::nullopt;
  if (one->is_invalid) return refuse(call, cudaErrorStreamCaptureInvalidated);
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  std::vector<GraphNode*>& last = one->last.at(stream);
  last = {&one->graph->add(std::move(work), last, call.at)};
  return cudaSuccess;
}

std::optional<cudaError_t> capture_copy(const CopyOrder& order, const Call& call, const MakeWork& make) {
  return order.async ? capture(order.stream, call, make) : use_of_legacy_stream(call);
}

std::optional<cudaError_t> wait_in_capture(cudaStream_t stream, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call) : std::nullopt;
  return spoil(*one, cudaErrorStreamCaptureUnsupported, call);
}

std::optional<cudaError_t> wait_for_all_in_capture(const Call& call) {
  return spoil_all(cudaErrorStreamCaptureUnsupported, call, [](const Capture&) { return true; });
}

std::optional<cudaError_t> unsafe_in_capture(const Call& call) {
  return spoil_all(cudaErrorStreamCaptureUnsupported, call, [here = std::this_thread::get_id()](const Capture& one) {
    return one.mode == cudaStreamCaptureModeGlobal || (one.thread == here && one.mode == cudaStreamCaptureModeThreadLocal);
  });
}

std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) {
    if (is_legacy(stream)) {
      if (const auto refused = use_of_legacy_stream(call)) return refused;
    }
    captures().events.erase(event);
    return std::nullopt;
  }
  if (one->is_invalid) return refuse(call, cudaErrorStreamCaptureInvalidated);
  captures().events[event] = {one->id, one->last.at(stream)};
  return cudaSuccess;
}

std::optional<cudaError_t> wait_for_event_in_capture(cudaStream_t stream, cudaEvent_t event, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  Capture* const own = capture_of(stream);
  const auto recorded = captures().events.find(event);
  if (recorded == captures().events.end()) {
    if (own == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call) : std::nullopt;
    return spoil(*own, cudaErrorStreamCaptureIsolation, call);
  }
  Capture& one = captures().all.at(recorded->second.id);
  if (own != nullptr && own != &one) {
    own->is_invalid = true;
    return spoil(one, cudaErrorStreamCaptureMerge, call);
  }
  if (one.is_invalid) return refuse(call, cudaErrorStreamCaptureInvalidated);
  if (is_legacy(stream)) return spoil(one, cudaErrorStreamCaptureImplicit, call);
  join(one.last[stream], recorded->second.last);
  return cudaSuccess;
}

std::optional<cudaError_t> use_of_captured_event(cudaEvent_t event, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  const auto recorded = captures().events.find(event);
  if (recorded == captures().events.end()) return unsafe_in_capture(call);
  return spoil(captures().all.at(recorded->second.id), cudaErrorCapturedEvent, call);
}

void forget_event(cudaEvent_t event) {
  const std::lock_guard lock(graphs_mutex());
  captures().events.erase(event);
}

void forget_stream(cudaStream_t stream) {
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return;
  one->gone.push_back(one->last.at(stream));
  one->last.erase(stream);
  if (stream == one->origin) forget_capture(one->id);
}

const Graph* graph_of_capture(cudaStream_t stream) {
  const std::lock_guard lock(graphs_mutex());
  const Capture* const one = capture_of(stream);
  return one != nullptr ? one->graph.get() : nullptr;
}

}  // namespace tilelab_host

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  if (is_legacy(stream)) return refuse(call, cudaErrorStreamCaptureUnsupported);
  if (!is_stream(stream)) return refuse(call, cudaErrorInvalidResourceHandle);
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return refuse(call);
  if (Capture* const one = capture_of(stream)) return spoil(*one, cudaErrorIllegalState, call);
  const std::uint64_t id = captures().next++;
  captures().all[id] = {.id = id,
                        .origin = stream,
                        .graph = Graph::create(),
                        .mode = mode,
                        .thread = std::this_thread::get_id(),
                        .last = {{stream, {}}},
                        .gone = {}};
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  if (graph != nullptr) *graph = nullptr;
  Capture* const one = capture_of(stream);
  if (one == nullptr) return refuse(call, cudaErrorIllegalState);
  if (one->origin != stream) return spoil(*one, cudaErrorStreamCaptureUnmatched, call);
  if (one->mode != cudaStreamCaptureModeRelaxed && one->thread != std::this_thread::get_id())
    return refuse(call, cudaErrorStreamCaptureWrongThread);
  const cudaError_t error = one->is_invalid    ? cudaErrorStreamCaptureInvalidated
                            : !is_joined(*one) ? cudaErrorStreamCaptureUnjoined
                            : graph == nullptr ? cudaErrorInvalidValue
                                               : cudaSuccess;
  if (error == cudaSuccess) *graph = keep_graph(one->graph);
  forget_capture(one->id);
  return error == cudaSuccess ? cudaSuccess : refuse(call, error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (!status) return refuse(TILELAB_CALL);
  const std::lock_guard lock(graphs_mutex());
  *status = cudaStreamCaptureStatusNone;
  if (is_legacy(stream)) return use_of_legacy_stream(TILELAB_CALL).value_or(cudaSuccess);
  if (const Capture* const one = capture_of(stream))
    *status = one->is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
