// CUDA's runtime: graphs, made node by node. Capturing streams is in runtime_capture.hpp. External semaphores, user objects and launches of
// graphs from kernels are missing.
#pragma once

#include "api_marks.hpp"
#include "error_codes.hpp"
#include "runtime_copies.hpp"
#include "runtime_graph_types.hpp"

TILELAB_CUDA_CALL cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
TILELAB_CUDA_CALL cudaGraphDestroy(cudaGraph_t graph);
TILELAB_CUDA_CALL cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original);
TILELAB_CUDA_CALL cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone);
TILELAB_CUDA_CALL cudaGraphDestroyNode(cudaGraphNode_t node);
TILELAB_CUDA_CALL cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
// Where a list is null, only the number is written.
TILELAB_CUDA_CALL cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count);
TILELAB_CUDA_CALL cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);
TILELAB_CUDA_CALL cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);
TILELAB_CUDA_CALL cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int flags);

TILELAB_CUDA_CALL cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count);
TILELAB_CUDA_CALL cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaMemcpy3DParms* params);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                                 const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                                 cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                                   std::size_t count, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                         const cudaMemsetParams* params);
TILELAB_CUDA_CALL cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                       const cudaHostNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                             cudaGraph_t child);
TILELAB_CUDA_CALL cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                              cudaEvent_t event);
TILELAB_CUDA_CALL cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                            cudaEvent_t event);
TILELAB_CUDA_CALL cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                   cudaGraphNodeParams* params);
TILELAB_CUDA_CALL cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                      const cudaGraphEdgeData* edges, std::size_t count, cudaGraphNodeParams* params);
// A kernel says the value with cudaGraphSetConditional(); a node of cudaGraphAddNode() runs its graphs by it.
TILELAB_CUDA_CALL cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned int value = 0,
                                                   unsigned int flags = 0);
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);  // only named, by kernels' text

TILELAB_CUDA_CALL cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                                  const cudaKernelNodeAttrValue* value);
TILELAB_CUDA_CALL cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params);
TILELAB_CUDA_CALL cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params);
TILELAB_CUDA_CALL cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params);
TILELAB_CUDA_CALL cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params);
TILELAB_CUDA_CALL cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params);
TILELAB_CUDA_CALL cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params);
TILELAB_CUDA_CALL cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph);
TILELAB_CUDA_CALL cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event);
TILELAB_CUDA_CALL cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
TILELAB_CUDA_CALL cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event);
TILELAB_CUDA_CALL cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
TILELAB_CUDA_CALL cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params);

TILELAB_CUDA_CALL cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0);
TILELAB_CUDA_CALL cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0);
TILELAB_CUDA_CALL cudaGraphInstantiateWithParams(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphInstantiateParams* params);
TILELAB_CUDA_CALL cudaGraphExecDestroy(cudaGraphExec_t graph);
TILELAB_CUDA_CALL cudaGraphExecGetFlags(cudaGraphExec_t graph, unsigned long long* flags);
TILELAB_CUDA_CALL cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
TILELAB_CUDA_CALL cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
TILELAB_CUDA_CALL cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result);
TILELAB_CUDA_CALL cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams* params);
TILELAB_CUDA_CALL cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemcpy3DParms* params);
TILELAB_CUDA_CALL cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node, void* to, const void* from,
                                                     std::size_t bytes, cudaMemcpyKind kind);
TILELAB_CUDA_CALL cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemsetParams* params);
TILELAB_CUDA_CALL cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaHostNodeParams* params);
TILELAB_CUDA_CALL cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraph_t child);
TILELAB_CUDA_CALL cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event);
TILELAB_CUDA_CALL cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event);
TILELAB_CUDA_CALL cudaGraphExecNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraphNodeParams* params);
TILELAB_CUDA_CALL cudaGraphNodeSetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned int enabled);
TILELAB_CUDA_CALL cudaGraphNodeGetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned int* enabled);

// The forms of CUDA 11 and of CUDA 13, and those that name a function or a variable as the program does.
TILELAB_CUDA_FORM cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphNode_t* wrong, char* said, std::size_t bytes) {
  if (wrong) *wrong = nullptr;
  if (said && bytes > 0) *said = '\0';
  return cudaGraphInstantiate(made, graph, 0ULL);
}
TILELAB_CUDA_FORM cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphNode_t* wrong,
                                      cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(graph, changed, &info);
  if (wrong) *wrong = info.errorNode;
  if (result) *result = info.result;
  return error;
}
namespace tilelab_host {
inline void default_edges(cudaGraphEdgeData* edges, const std::size_t* count) {
  for (std::size_t i = 0; edges && count && i < *count; ++i) edges[i] = {};
}
}  // namespace tilelab_host
TILELAB_CUDA_FORM cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                                    std::size_t* count) {
  const cudaError_t error = cudaGraphGetEdges(graph, from, to, count);
  tilelab_host::default_edges(edges, count);
  return error;
}
TILELAB_CUDA_FORM cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges, std::size_t* count) {
  const cudaError_t error = cudaGraphNodeGetDependencies(node, nodes, count);
  tilelab_host::default_edges(edges, count);
  return error;
}
TILELAB_CUDA_FORM cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                                 std::size_t* count) {
  const cudaError_t error = cudaGraphNodeGetDependentNodes(node, nodes, count);
  tilelab_host::default_edges(edges, count);
  return error;
}
TILELAB_CUDA_FORM cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData*, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
TILELAB_CUDA_FORM cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                              const cudaGraphEdgeData*, std::size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, count);
}
TILELAB_CUDA_FORM cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, const cudaGraphEdgeData* edges,
                                   std::size_t count, cudaGraphNodeParams* params) {
  return cudaGraphAddNode_v2(node, graph, before, edges, count, params);
}
template <typename T>
TILELAB_CUDA_FORM cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                                 const T& symbol, const void* from, std::size_t bytes, std::size_t offset,
                                                 cudaMemcpyKind kind) {
  return cudaGraphAddMemcpyNodeToSymbol(node, graph, before, count, tilelab_host::place_of(symbol), from, bytes, offset, kind);
}
template <typename T>
TILELAB_CUDA_FORM cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                                   std::size_t count, void* to, const T& symbol, std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind) {
  return cudaGraphAddMemcpyNodeFromSymbol(node, graph, before, count, to, tilelab_host::place_of(symbol), bytes, offset, kind);
}
