// Implements stream_capture.hpp.
#include "host_api/graphs/stream_capture.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "host_api/graphs/stream_table.hpp"
#include "host_api/library/host_session.hpp"

namespace tilelab_host {
namespace {

struct Capture {
  cudaCaptureId_t id = 0;
  cudaStream_t origin = nullptr;
  std::shared_ptr<Graph> graph;
  bool is_programs_graph = false;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool is_invalid = false;
  std::map<cudaStream_t, std::vector<GraphNode*>> last;  // of each stream, what its next node comes after
  std::vector<std::vector<GraphNode*>> gone;             // the same of streams that were destroyed
};
struct CapturedEvent {
  cudaCaptureId_t id = 0;
  std::vector<GraphNode*> last;
};

std::atomic<int> active = 0;
// Never destroyed, as the graphs are not.
struct Captures {
  std::map<cudaCaptureId_t, Capture> all;
  std::map<cudaEvent_t, CapturedEvent> events;
  cudaCaptureId_t next = 1;
};
Captures& captures() {
  static Captures* const made = new Captures;
  return *made;
}
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

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

void close(cudaCaptureId_t id) {
  captures().all.erase(id);
  std::erase_if(captures().events, [&](const auto& one) { return one.second.id == id; });
  --active;
}

}  // namespace

bool is_any_captured() { return active != 0; }

std::optional<cudaError_t> use_of_legacy_stream(const char* call, std::uintptr_t at) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  bool is_used = false;
  for (auto& [id, one] : captures().all) {
    const bool blocks = std::ranges::any_of(one.last, [](const auto& stream) { return is_blocking(stream.first); });
    is_used |= blocks;
    one.is_invalid |= blocks;
  }
  return is_used ? std::optional(refuse(call, at, cudaErrorStreamCaptureImplicit)) : std::nullopt;
}

std::optional<cudaError_t> capture(cudaStream_t stream, const char* call, std::uintptr_t at, const MakeWork& make) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call, at) : std::nullopt;
  if (one->is_invalid) return refuse(call, at, cudaErrorStreamCaptureInvalidated);
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  std::vector<GraphNode*>& last = one->last.at(stream);
  last = {&one->graph->add(std::move(work), last, at)};
  return cudaSuccess;
}

std::optional<cudaError_t> wait_in_capture(cudaStream_t stream, const char* call, std::uintptr_t at) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call, at) : std::nullopt;
  one->is_invalid = true;
  return refuse(call, at, cudaErrorStreamCaptureUnsupported);
}

std::optional<cudaError_t> wait_for_all_in_capture(const char* call, std::uintptr_t at) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  for (auto& [id, one] : captures().all) one.is_invalid = true;
  return refuse(call, at, cudaErrorStreamCaptureUnsupported);
}

std::optional<cudaError_t> unsafe_in_capture(const char* call, std::uintptr_t at) {
  if (active == 0 || thread_mode == cudaStreamCaptureModeRelaxed) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  bool is_refused = false;
  for (auto& [id, one] : captures().all) {
    const bool is_here = one.thread == std::this_thread::get_id();
    const bool counts = one.mode != cudaStreamCaptureModeRelaxed &&
                        (is_here || (one.mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal));
    is_refused |= counts;
    one.is_invalid |= counts;
  }
  return is_refused ? std::optional(refuse(call, at, cudaErrorStreamCaptureUnsupported)) : std::nullopt;
}

std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream, bool external, const char* call, std::uintptr_t at) {
  if (active == 0) return std::nullopt;
  if (external) return capture(stream, call, at, [&](Work& work) { return work = RecordWork{event}, cudaSuccess; });
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) {
    if (is_legacy(stream)) {
      if (const auto refused = use_of_legacy_stream(call, at)) return refused;
    }
    captures().events.erase(event);
    return std::nullopt;
  }
  if (one->is_invalid) return refuse(call, at, cudaErrorStreamCaptureInvalidated);
  captures().events[event] = {one->id, one->last.at(stream)};
  return cudaSuccess;
}

std::optional<cudaError_t> wait_for_event_in_capture(cudaStream_t stream, cudaEvent_t event, bool external, const char* call,
                                                     std::uintptr_t at) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  Capture* const own = capture_of(stream);
  const auto recorded = captures().events.find(event);
  if (recorded == captures().events.end()) {
    if (own == nullptr) return is_legacy(stream) ? use_of_legacy_stream(call, at) : std::nullopt;
    if (external) return capture(stream, call, at, [&](Work& work) { return work = WaitWork{event}, cudaSuccess; });
    own->is_invalid = true;
    return refuse(call, at, cudaErrorStreamCaptureIsolation);
  }
  Capture& one = captures().all.at(recorded->second.id);
  if (own != nullptr && own != &one) {
    own->is_invalid = one.is_invalid = true;
    return refuse(call, at, cudaErrorStreamCaptureMerge);
  }
  if (one.is_invalid) return refuse(call, at, cudaErrorStreamCaptureInvalidated);
  if (is_legacy(stream)) {
    one.is_invalid = true;
    return refuse(call, at, cudaErrorStreamCaptureImplicit);
  }
  join(one.last[stream], recorded->second.last);
  return cudaSuccess;
}

std::optional<cudaError_t> use_of_captured_event(cudaEvent_t event, const char* call, std::uintptr_t at) {
  if (active == 0) return std::nullopt;
  const std::lock_guard lock(graphs_mutex());
  const auto recorded = captures().events.find(event);
  if (recorded == captures().events.end()) return unsafe_in_capture(call, at);
  captures().all.at(recorded->second.id).is_invalid = true;
  return refuse(call, at, cudaErrorCapturedEvent);
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
  if (stream == one->origin) close(one->id);
}

cudaError_t begin_capture(cudaStream_t stream, Graph* into, std::vector<GraphNode*> after, cudaStreamCaptureMode mode, const char* call,
                          std::uintptr_t at) {
  const std::lock_guard lock(graphs_mutex());
  if (is_legacy(stream)) return refuse(call, at, cudaErrorStreamCaptureUnsupported);
  if (!is_stream(stream)) return refuse(call, at, cudaErrorInvalidResourceHandle);
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return refuse(call, at, cudaErrorInvalidValue);
  if (Capture* const one = capture_of(stream)) {
    one->is_invalid = true;
    return refuse(call, at, cudaErrorIllegalState);
  }
  Capture made;
  made.id = captures().next++;
  made.origin = stream;
  made.mode = mode;
  made.thread = std::this_thread::get_id();
  made.graph = into != nullptr ? into->shared_from_this() : Graph::create();
  made.is_programs_graph = into != nullptr;
  made.last[stream] = std::move(after);
  captures().all.emplace(made.id, std::move(made));
  ++active;
  return cudaSuccess;
}

cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph, const char* call, std::uintptr_t at) {
  const std::lock_guard lock(graphs_mutex());
  if (graph != nullptr) *graph = nullptr;
  Capture* const one = capture_of(stream);
  if (one == nullptr) return refuse(call, at, cudaErrorIllegalState);
  if (one->origin != stream) {
    one->is_invalid = true;
    return refuse(call, at, cudaErrorStreamCaptureUnmatched);
  }
  if (one->mode != cudaStreamCaptureModeRelaxed && one->thread != std::this_thread::get_id())
    return refuse(call, at, cudaErrorStreamCaptureWrongThread);
  const cudaError_t error = one->is_invalid                               ? cudaErrorStreamCaptureInvalidated
                            : !is_joined(*one)                            ? cudaErrorStreamCaptureUnjoined
                            : graph == nullptr && !one->is_programs_graph ? cudaErrorInvalidValue
                                                                          : cudaSuccess;
  if (error == cudaSuccess && graph != nullptr) *graph = handle_of(*one->graph);
  if (error == cudaSuccess && !one->is_programs_graph) keep_graph(one->graph);
  close(one->id);
  return error == cudaSuccess ? cudaSuccess : refuse(call, at, error);
}

CaptureInfo capture_info(cudaStream_t stream, const std::vector<GraphNode*>* instead, bool adds) {
  if (active == 0) return {};
  const std::lock_guard lock(graphs_mutex());
  Capture* const one = capture_of(stream);
  if (one == nullptr) return {};
  if (one->is_invalid) return {cudaStreamCaptureStatusInvalidated, 0, nullptr, {}};
  std::vector<GraphNode*>& last = one->last.at(stream);
  if (instead != nullptr && !adds) last.clear();
  if (instead != nullptr) join(last, *instead);
  CaptureInfo info{cudaStreamCaptureStatusActive, one->id, handle_of(*one->graph), {}};
  for (GraphNode* const node : last) info.last.push_back(handle_of(*node));
  return info;
}

cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode) { return std::exchange(thread_mode, mode); }

}  // namespace tilelab_host
