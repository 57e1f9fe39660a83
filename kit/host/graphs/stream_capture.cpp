// Implements stream_capture.hpp, and what runtime_graphs.hpp declares about capture.
#include "host/graphs/stream_capture.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include "host/library/host_session.hpp"
#include "host/runtime_graphs.hpp"

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

namespace {

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

std::atomic<int> active = 0;
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
  --active;
}

}  // namespace

bool is_any_captured() { return active != 0; }

std::optional<cudaError_t> use_of_legacy_stream(const Call& call) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  bool is_used = false;
  for (auto& [id, one] : captures().all) {
    const bool blocks = std::ranges::any_of(one.last, [](const auto& stream) { return is_blocking(stream.first); });
    is_used |= blocks;
    one.is_invalid |= blocks;
  }
  return is_used ? std::optional(refuse(call, cudaErrorStreamCaptureImplicit)) : std::nullopt;
}

std::optional<cudaError_t> capture(cudaStream_t stream, const Call& call, const MakeWork& make) {
  if (active == 0) return std::nullopt;
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
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call) : std::nullopt;
  one->is_invalid = true;
  return refuse(call, cudaErrorStreamCaptureUnsupported);
}

std::optional<cudaError_t> wait_for_all_in_capture(const Call& call) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  for (auto& [id, one] : captures().all) one.is_invalid = true;
  return refuse(call, cudaErrorStreamCaptureUnsupported);
}

std::optional<cudaError_t> unsafe_in_capture(const Call& call) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  bool is_refused = false;
  for (auto& [id, one] : captures().all) {
    const bool is_here = one.thread == std::this_thread::get_id();
    const bool counts = one.mode == cudaStreamCaptureModeGlobal || (is_here && one.mode == cudaStreamCaptureModeThreadLocal);
    is_refused |= counts;
    one.is_invalid |= counts;
  }
  return is_refused ? std::optional(refuse(call, cudaErrorStreamCaptureUnsupported)) : std::nullopt;
}

std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream, const Call& call) {
  if (active == 0) return std::nullopt;
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
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  Capture* const own = capture_of(stream);
  const auto recorded = captures().events.find(event);
  if (recorded == captures().events.end()) {
    if (own == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call) : std::nullopt;
    own->is_invalid = true;
    return refuse(call, cudaErrorStreamCaptureIsolation);
  }
  Capture& one = captures().all.at(recorded->second.id);
  if (own != nullptr && own != &one) {
    own->is_invalid = one.is_invalid = true;
    return refuse(call, cudaErrorStreamCaptureMerge);
  }
  if (one.is_invalid) return refuse(call, cudaErrorStreamCaptureInvalidated);
  if (is_legacy(stream)) {
    one.is_invalid = true;
    return refuse(call, cudaErrorStreamCaptureImplicit);
  }
  join(one.last[stream], recorded->second.last);
  return cudaSuccess;
}

std::optional<cudaError_t> use_of_captured_event(cudaEvent_t event, const Call& call) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  const auto recorded = captures().events.find(event);
  if (recorded == captures().events.end()) return unsafe_in_capture(call);
  captures().all.at(recorded->second.id).is_invalid = true;
  return refuse(call, cudaErrorCapturedEvent);
}

void forget_event(cudaEvent_t event) {
  const std::lock_guard lock(graphs_mutex());
  captures().events.erase(event);
}

void forget_stream(cudaStream_t stream) {
  if (active == 0) return;
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return;
  one->gone.push_back(one->last.at(stream));
  one->last.erase(stream);
  if (stream == one->origin) forget_capture(one->id);
}

const Graph* graph_of_capture(cudaStream_t stream) {
  if (active == 0) return nullptr;
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
  if (Capture* const one = capture_of(stream)) {
    one->is_invalid = true;
    return refuse(call, cudaErrorIllegalState);
  }
  const std::uint64_t id = captures().next++;
  captures().all[id] = {.id = id,
                        .origin = stream,
                        .graph = Graph::create(),
                        .mode = mode,
                        .thread = std::this_thread::get_id(),
                        .last = {{stream, {}}},
                        .gone = {}};
  ++active;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  if (graph != nullptr) *graph = nullptr;
  Capture* const one = capture_of(stream);
  if (one == nullptr) return refuse(call, cudaErrorIllegalState);
  if (one->origin != stream) {
    one->is_invalid = true;
    return refuse(call, cudaErrorStreamCaptureUnmatched);
  }
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
