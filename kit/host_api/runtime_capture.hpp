// CUDA's runtime: capturing the work of streams as a graph.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_graph_types.hpp"

TILELAB_CUDA_CALL cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
TILELAB_CUDA_CALL cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* before,
                                                const cudaGraphEdgeData* edges, std::size_t count, cudaStreamCaptureMode mode);
TILELAB_CUDA_CALL cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
TILELAB_CUDA_CALL cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
TILELAB_CUDA_CALL cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr);
TILELAB_CUDA_CALL cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr,
                                              cudaGraph_t* graph = nullptr, const cudaGraphNode_t** last = nullptr,
                                              std::size_t* count = nullptr);
TILELAB_CUDA_CALL cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr,
                                              cudaGraph_t* graph = nullptr, const cudaGraphNode_t** last = nullptr,
                                              const cudaGraphEdgeData** edges = nullptr, std::size_t* count = nullptr);
TILELAB_CUDA_CALL cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t count,
                                                      unsigned int flags = 0);
TILELAB_CUDA_CALL cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);

// The forms of CUDA 13.
TILELAB_CUDA_FORM cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                           const cudaGraphNode_t** last = nullptr, const cudaGraphEdgeData** edges = nullptr,
                                           std::size_t* count = nullptr) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, last, edges, count);
}
TILELAB_CUDA_FORM cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                           const cudaGraphNode_t** last, std::size_t* count) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, last, count);
}
TILELAB_CUDA_FORM cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData*,
                                                      std::size_t count, unsigned int flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}
