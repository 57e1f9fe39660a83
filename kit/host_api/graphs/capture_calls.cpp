// Implements runtime_capture.hpp.
#include "host_api/runtime_capture.hpp"

#include "host_api/graphs/stream_capture.hpp"
#include "host_api/graphs/stream_table.hpp"
#include "host_api/library/host_session.hpp"

using namespace tilelab_host;

namespace {

// Nodes of the graph. False: not all are.
bool read_nodes(const Graph* graph, const cudaGraphNode_t* nodes, std::size_t count, std::vector<GraphNode*>& all) {
  if (!graph || (count > 0 && !nodes)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const one = node_of(nodes[i]);
    if (!one || one->graph != graph) return false;
    all.push_back(one);
  }
  return true;
}

cudaError_t tell(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                 const cudaGraphNode_t** last, std::size_t* count, const char* call, std::uintptr_t at) {
  if (!status) return refuse(call, at);
  if (!stream || stream == cudaStreamLegacy) {
    *status = cudaStreamCaptureStatusNone;
    if (const auto refused = use_of_legacy_stream(call, at)) return *refused;
  }
  // CUDA's list is valid until the next call that changes the capture.
  static thread_local CaptureInfo info;
  info = capture_info(stream);
  *status = info.status;
  if (info.status != cudaStreamCaptureStatusActive) return cudaSuccess;
  if (id) *id = info.id;
  if (graph) *graph = info.graph;
  if (last) *last = info.last.data();
  if (count) *count = info.last.size();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin_capture(stream, nullptr, {}, mode, "cudaStreamBeginCapture", TILELAB_AT);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* before, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  const std::lock_guard lock(graphs_mutex());
  std::vector<GraphNode*> after;
  Graph* const into = graph_of(graph);
  if (!read_nodes(into, before, count, after)) return refuse("cudaStreamBeginCaptureToGraph", TILELAB_AT);
  return begin_capture(stream, into, std::move(after), mode, "cudaStreamBeginCaptureToGraph", TILELAB_AT);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return end_capture(stream, graph, "cudaStreamEndCapture", TILELAB_AT);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return tell(stream, status, nullptr, nullptr, nullptr, nullptr, "cudaStreamIsCapturing", TILELAB_AT);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return tell(stream, status, id, nullptr, nullptr, nullptr, "cudaStreamGetCaptureInfo", TILELAB_AT);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** last, std::size_t* count) {
  return tell(stream, status, id, graph, last, count, "cudaStreamGetCaptureInfo", TILELAB_AT);
}
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** last, const cudaGraphEdgeData** edges, std::size_t* count) {
  if (edges) *edges = nullptr;
  return tell(stream, status, id, graph, last, count, "cudaStreamGetCaptureInfo", TILELAB_AT);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t count, unsigned int flags) {
  constexpr const char* call = "cudaStreamUpdateCaptureDependencies";
  const std::lock_guard lock(graphs_mutex());
  const CaptureInfo info = capture_info(stream);
  if (info.status == cudaStreamCaptureStatusNone) return refuse(call, TILELAB_AT, cudaErrorIllegalState);
  if (info.status == cudaStreamCaptureStatusInvalidated) return refuse(call, TILELAB_AT, cudaErrorStreamCaptureInvalidated);
  std::vector<GraphNode*> given;
  if (flags > cudaStreamSetCaptureDependencies || !read_nodes(graph_of(info.graph), nodes, count, given)) return refuse(call, TILELAB_AT);
  capture_info(stream, &given, flags == cudaStreamAddCaptureDependencies);
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
    return refuse("cudaThreadExchangeStreamCaptureMode", TILELAB_AT);
  *mode = exchange_mode(*mode);
  return cudaSuccess;
}
