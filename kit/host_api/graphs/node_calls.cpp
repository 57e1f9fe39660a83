// Implements what runtime_graphs.hpp declares about nodes: adding them, and asking for and setting what they do.
#include "host_api/graphs/node_calls.hpp"

#include "host_api/graphs/graph_conditions.hpp"
#include "host_api/graphs/graph_memory.hpp"
#include "host_api/graphs/graph_work.hpp"
#include "host_api/library/device_variables.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/runtime_graphs.hpp"
#include "host_api/runtime_pools.hpp"

using namespace tilelab_host;

namespace {

// Where a new node goes, and which call makes it.
struct NewNode {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* before;
  std::size_t count;
  const char* call;
  std::uintptr_t at;
};

// `make(work)` makes the work, or says what is wrong.
template <typename Make>
cudaError_t add(const NewNode& place, const Make& make) {
  const std::lock_guard lock(graphs_mutex());
  Graph* const graph = graph_of(place.graph);
  if (!place.node || !graph || (place.count > 0 && !place.before)) return refuse(place.call, place.at);
  std::vector<GraphNode*> before;
  for (std::size_t i = 0; i < place.count; ++i) {
    GraphNode* const one = node_of(place.before[i]);
    if (!one || one->graph != graph) return refuse(place.call, place.at);
    before.push_back(one);
  }
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  *place.node = handle_of(graph->add(std::move(work), before, place.at));
  return cudaSuccess;
}

template <typename Kind>
Kind* work_of(cudaGraphNode_t node) {
  GraphNode* const one = node_of(node);
  return one ? std::get_if<Kind>(&one->work) : nullptr;
}

// What a node of this kind does, as CUDA's parameters.
template <typename Kind, typename Params, typename Give>
cudaError_t get(cudaGraphNode_t node, Params* params, const char* call, std::uintptr_t at, const Give& give) {
  const std::lock_guard lock(graphs_mutex());
  Kind* const work = work_of<Kind>(node);
  if (!work || !params) return refuse(call, at);
  *params = give(*work);
  return cudaSuccess;
}

template <typename Make>
cudaError_t set(cudaGraphNode_t node, const char* call, std::uintptr_t at, const Make& make) {
  const std::lock_guard lock(graphs_mutex());
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  return set_work(node_of(node), std::move(work), call, at);
}

cudaKernelNodeParams params_of(KernelWork& kernel) {
  kernel.places.clear();
  for (auto& value : kernel.values) kernel.places.push_back(value.data());
  return {const_cast<void*>(kernel.function),
          kernel.shape.grid,
          kernel.shape.block,
          static_cast<unsigned int>(kernel.shape.shared_bytes),
          kernel.places.data(),
          nullptr};
}

cudaError_t child_work(cudaGraph_t child, Work& work, const char* call, std::uintptr_t at) {
  const Graph* const graph = graph_of(child);
  if (!graph) return refuse(call, at);
  if (has_memory_nodes(*graph)) return refuse(call, at, cudaErrorNotSupported);
  work = ChildWork{graph->clone()};
  return cudaSuccess;
}

}  // namespace

cudaError_t tilelab_host::event_work(cudaEvent_t event, bool records, Work& work, const char* call, std::uintptr_t at) {
  if (!event) return refuse(call, at);
  if (records)
    work = RecordWork{event};
  else
    work = WaitWork{event};
  return cudaSuccess;
}

cudaError_t tilelab_host::any_work(cudaGraphNodeParams* params, Graph& graph, Work& work, const char* call, std::uintptr_t at) {
  if (!params) return refuse(call, at);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: return kernel_work(&params->kernel, work, call, at);
    case cudaGraphNodeTypeMemcpy: return copy_work(&params->memcpy.copyParams, work, call, at);
    case cudaGraphNodeTypeMemset: return fill_work(&params->memset, work, call, at);
    case cudaGraphNodeTypeHost: return host_work(&params->host, work, call, at);
    case cudaGraphNodeTypeGraph: return child_work(params->graph.graph, work, call, at);
    case cudaGraphNodeTypeEmpty: return work = EmptyWork{}, cudaSuccess;
    case cudaGraphNodeTypeWaitEvent: return event_work(params->eventWait.event, false, work, call, at);
    case cudaGraphNodeTypeEventRecord: return event_work(params->eventRecord.event, true, work, call, at);
    case cudaGraphNodeTypeMemAlloc: return alloc_work(&params->alloc, work, call, at);
    case cudaGraphNodeTypeMemFree: return free_work(params->free.dptr, graph, work, call, at);
    case cudaGraphNodeTypeConditional: return conditional_work(&params->conditional, work, call, at);
    default: return refuse(call, at, cudaErrorNotSupported);
  }
}

cudaError_t tilelab_host::set_work(GraphNode* node, Work work, const char* call, std::uintptr_t at) {
  if (!node || node->work.index() != work.index()) return refuse(call, at);
  node->work = std::move(work);
  node->at = at;
  return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count) {
  return add({node, graph, before, count, "cudaGraphAddEmptyNode", TILELAB_AT}, [](Work&) { return cudaSuccess; });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                   const cudaKernelNodeParams* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddKernelNode", TILELAB_AT};
  return add(place, [&](Work& work) { return kernel_work(params, work, place.call, place.at); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                   const cudaMemcpy3DParms* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemcpyNode", TILELAB_AT};
  return add(place, [&](Work& work) { return copy_work(params, work, place.call, place.at); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemcpyNode1D", TILELAB_AT};
  return add(place, [&](Work& work) { return copy_work(to, from, bytes, kind, work, place.call, place.at); });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                           cudaMemcpyKind kind) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemcpyNodeToSymbol", TILELAB_AT};
  return add(place, [&](Work& work) {
    void* to = nullptr;
    if (const cudaError_t error = address_of_variable(symbol, &to, place.call, place.at); error != cudaSuccess) return error;
    return copy_work(static_cast<char*>(to) + offset, from, bytes, kind, work, place.call, place.at);
  });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemcpyNodeFromSymbol", TILELAB_AT};
  return add(place, [&](Work& work) {
    void* from = nullptr;
    if (const cudaError_t error = address_of_variable(symbol, &from, place.call, place.at); error != cudaSuccess) return error;
    return copy_work(to, static_cast<char*>(from) + offset, bytes, kind, work, place.call, place.at);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                   const cudaMemsetParams* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemsetNode", TILELAB_AT};
  return add(place, [&](Work& work) { return fill_work(params, work, place.call, place.at); });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                 const cudaHostNodeParams* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddHostNode", TILELAB_AT};
  return add(place, [&](Work& work) { return host_work(params, work, place.call, place.at); });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                       cudaGraph_t child) {
  const NewNode place{node, graph, before, count, "cudaGraphAddChildGraphNode", TILELAB_AT};
  return add(place, [&](Work& work) { return child_work(child, work, place.call, place.at); });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                        cudaEvent_t event) {
  const NewNode place{node, graph, before, count, "cudaGraphAddEventRecordNode", TILELAB_AT};
  return add(place, [&](Work& work) { return event_work(event, true, work, place.call, place.at); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                      cudaEvent_t event) {
  const NewNode place{node, graph, before, count, "cudaGraphAddEventWaitNode", TILELAB_AT};
  return add(place, [&](Work& work) { return event_work(event, false, work, place.call, place.at); });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                     cudaMemAllocNodeParams* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemAllocNode", TILELAB_AT};
  return add(place, [&](Work& work) { return alloc_work(params, work, place.call, place.at); });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                    void* pointer) {
  const NewNode place{node, graph, before, count, "cudaGraphAddMemFreeNode", TILELAB_AT};
  return add(place, [&](Work& work) { return free_work(pointer, *graph_of(graph), work, place.call, place.at); });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                             cudaGraphNodeParams* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddNode", TILELAB_AT};
  return add(place, [&](Work& work) { return any_work(params, *graph_of(graph), work, place.call, place.at); });
}
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, const cudaGraphEdgeData*,
                                std::size_t count, cudaGraphNodeParams* params) {
  const NewNode place{node, graph, before, count, "cudaGraphAddNode", TILELAB_AT};
  return add(place, [&](Work& work) { return any_work(params, *graph_of(graph), work, place.call, place.at); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return get<KernelWork>(node, params, "cudaGraphKernelNodeGetParams", TILELAB_AT, params_of);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  constexpr const char* call = "cudaGraphKernelNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return kernel_work(params, work, call, at); });
}
// Of the attributes only a cooperative launch changes what a kernel may do here.
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute, const cudaKernelNodeAttrValue* value) {
  const std::lock_guard lock(graphs_mutex());
  KernelWork* const kernel = work_of<KernelWork>(node);
  if (!kernel || !value) return refuse("cudaGraphKernelNodeSetAttribute", TILELAB_AT);
  if (attribute == cudaLaunchAttributeCooperative) kernel->shape.cooperative = value->cooperative != 0;
  return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return get<CopyWork>(node, params, "cudaGraphMemcpyNodeGetParams", TILELAB_AT, [](const CopyWork& one) { return one.what; });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  constexpr const char* call = "cudaGraphMemcpyNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return copy_work(params, work, call, at); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  constexpr const char* call = "cudaGraphMemcpyNodeSetParams1D";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return copy_work(to, from, bytes, kind, work, call, at); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return get<FillWork>(node, params, "cudaGraphMemsetNodeGetParams", TILELAB_AT, [](const FillWork& one) { return one.what; });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  constexpr const char* call = "cudaGraphMemsetNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return fill_work(params, work, call, at); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return get<HostWork>(node, params, "cudaGraphHostNodeGetParams", TILELAB_AT, [](const HostWork& one) { return one.what; });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  constexpr const char* call = "cudaGraphHostNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return host_work(params, work, call, at); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return get<ChildWork>(node, graph, "cudaGraphChildGraphNodeGetGraph", TILELAB_AT,
                        [](const ChildWork& one) { return handle_of(*one.graph); });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<RecordWork>(node, event, "cudaGraphEventRecordNodeGetEvent", TILELAB_AT, [](const RecordWork& one) { return one.event; });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  constexpr const char* call = "cudaGraphEventRecordNodeSetEvent";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return event_work(event, true, work, call, at); });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<WaitWork>(node, event, "cudaGraphEventWaitNodeGetEvent", TILELAB_AT, [](const WaitWork& one) { return one.event; });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  constexpr const char* call = "cudaGraphEventWaitNodeSetEvent";
  const std::uintptr_t at = TILELAB_AT;
  return set(node, call, at, [&](Work& work) { return event_work(event, false, work, call, at); });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return get<AllocWork>(node, params, "cudaGraphMemAllocNodeGetParams", TILELAB_AT, [](const AllocWork& one) { return one.what; });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return get<FreeWork>(node, static_cast<void**>(pointer), "cudaGraphMemFreeNodeGetParams", TILELAB_AT,
                       [](const FreeWork& one) { return one.pointer; });
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  constexpr const char* call = "cudaGraphNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const one = node_of(node);
  if (!one || !params || params->type != type_of(one->work)) return refuse(call, at);
  Work work;
  if (const cudaError_t error = any_work(params, *one->graph, work, call, at); error != cudaSuccess) return error;
  return set_work(one, std::move(work), call, at);
}
