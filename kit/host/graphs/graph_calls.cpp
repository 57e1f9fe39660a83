// Implements what runtime_graphs.hpp declares about graphs, their nodes and executable graphs.
#include "host/runtime_graphs.hpp"

#include <algorithm>
#include <unordered_map>

#include "host/graphs/graph.hpp"
#include "host/graphs/stream_capture.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace {

// CUDA's way of a list: a null list asks for the number; what has no place is null.
cudaError_t give_list(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* to, std::size_t* count, const Call& call) {
  if (!count) return refuse(call);
  if (!to) return *count = nodes.size(), cudaSuccess;
  for (std::size_t i = 0; i < *count; ++i) to[i] = i < nodes.size() ? handle_of(*nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return cudaSuccess;
}

// Adds edges, none of which is there, or removes edges that all are. The two lists hold their ends.
cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count, bool adds,
                         const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one || (count > 0 && (!from || !to))) return refuse(call);
  std::vector<std::pair<GraphNode*, GraphNode*>> edges;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode *const first = node_of(from[i]), *const second = node_of(to[i]);
    if (!first || !second || first == second || first->graph != one || second->graph != one) return refuse(call);
    if ((std::ranges::find(first->after, second) != first->after.end()) == adds) return refuse(call);
    edges.emplace_back(first, second);
  }
  for (const auto& [first, second] : edges) {
    if (adds) {
      first->after.push_back(second);
      second->before.push_back(first);
    } else {
      std::erase(first->after, second);
      std::erase(second->before, first);
    }
  }
  return cudaSuccess;
}

// The nodes of a graph for which `counts` says so.
template <typename Counts>
cudaError_t give_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count, const Call& call, const Counts& counts) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one) return refuse(call);
  std::vector<GraphNode*> all;
  for (const auto& node : one->nodes()) {
    if (counts(*node)) all.push_back(node.get());
  }
  return give_list(all, nodes, count, call);
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  if (!graph || flags != 0) return refuse(TILELAB_CALL);
  const std::lock_guard lock(graphs_mutex());
  const std::shared_ptr<Graph> made = Graph::create();
  *graph = handle_of(*made);
  keep_graph(made);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(graphs_mutex());
  Graph* const one = graph_of(graph);
  return one && drop_graph(*one) ? cudaSuccess : refuse(TILELAB_CALL);
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(original);
  if (!clone || !one) return refuse(TILELAB_CALL);
  if (has_memory_nodes(*one)) return refuse(TILELAB_CALL, cudaErrorNotSupported);
  const std::shared_ptr<Graph> made = one->clone();
  *clone = handle_of(*made);
  keep_graph(made);
  return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const wanted = node_of(original);
  const Graph* const graph = graph_of(clone);
  GraphNode* const found = node && wanted && graph ? graph->copy_of(*wanted) : nullptr;
  if (!found) return refuse(TILELAB_CALL);
  *node = handle_of(*found);
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const one = node_of(node);
  return one ? give(type, type_of(one->work), TILELAB_CALL) : refuse(TILELAB_CALL);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return give_nodes(graph, nodes, count, TILELAB_CALL, [](const GraphNode&) { return true; });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return give_nodes(graph, nodes, count, TILELAB_CALL, [](const GraphNode& node) { return node.before.empty(); });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one || !count || !from != !to) return refuse(call);
  std::vector<GraphNode*> first, second;
  for (const auto& node : one->nodes()) {
    for (GraphNode* const next : node->after) {
      first.push_back(node.get());
      second.push_back(next);
    }
  }
  std::size_t same = *count;
  if (const cudaError_t error = give_list(first, from, &same, call); error != cudaSuccess) return error;
  return give_list(second, to, count, call);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const one = node_of(node);
  if (!one) return refuse(TILELAB_CALL);
  return give_list(one->after, nodes, count, TILELAB_CALL);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  return change_edges(graph, from, to, count, true, TILELAB_CALL);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  return change_edges(graph, from, to, count, false, TILELAB_CALL);
}

namespace {

// Where a new node goes, and which call makes it.
struct NewNode {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* before;
  std::size_t count;
  Call call;
};

// `make(work)` makes the work, or says what is wrong.
template <typename Make>
cudaError_t add(const NewNode& place, const Make& make) {
  const std::lock_guard lock(graphs_mutex());
  Graph* const graph = graph_of(place.graph);
  if (!place.node || !graph || (place.count > 0 && !place.before)) return refuse(place.call);
  std::vector<GraphNode*> before;
  for (std::size_t i = 0; i < place.count; ++i) {
    GraphNode* const one = node_of(place.before[i]);
    if (!one || one->graph != graph) return refuse(place.call);
    before.push_back(one);
  }
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  *place.node = handle_of(graph->add(std::move(work), before, place.call.at));
  return cudaSuccess;
}

// What a node of this kind does, as CUDA's parameters.
template <typename Kind, typename Params, typename Read>
cudaError_t get(cudaGraphNode_t node, Params* params, const Call& call, const Read& read) {
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const one = node_of(node);
  Kind* const work = one ? std::get_if<Kind>(&one->work) : nullptr;
  return work ? tilelab_host::give(params, read(*work), call) : refuse(call);
}

// The executable graph's copy of a node. Null: it has none.
GraphNode* own_node(cudaGraphExec_t graph, cudaGraphNode_t node) {
  const ExecutableGraph* const one = executable_of(graph);
  const GraphNode* const original = node_of(node);
  return one && original ? one->graph->copy_of(*original) : nullptr;
}

// The node that `find` gives does something else from now on, of the same kind.
template <typename Find, typename Make>
cudaError_t set(const Call& call, const Find& find, const Make& make) {
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const node = find();
  if (!node) return refuse(call);
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  if (node->work.index() != work.index()) return refuse(call);
  node->work = std::move(work);
  node->at = call.at;
  return cudaSuccess;
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

cudaError_t child_work(cudaGraph_t child, Work& work, const Call& call) {
  const Graph* const graph = graph_of(child);
  if (!graph) return refuse(call);
  if (has_memory_nodes(*graph)) return refuse(call, cudaErrorNotSupported);
  work = ChildWork(graph->clone());
  return cudaSuccess;
}

// For cudaGraphAddNode. What CUDA writes into the parameters (an address, graphs) is written.
cudaError_t any_work(cudaGraphNodeParams* params, Graph& graph, Work& work, const Call& call) {
  if (!params) return refuse(call);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: return kernel_work(&params->kernel, work, call);
    case cudaGraphNodeTypeMemcpy: return copy_work(&params->memcpy.copyParams, work, call);
    case cudaGraphNodeTypeMemset: return fill_work(&params->memset, work, call);
    case cudaGraphNodeTypeHost: return host_work(&params->host, work, call);
    case cudaGraphNodeTypeGraph: return child_work(params->graph.graph, work, call);
    case cudaGraphNodeTypeEmpty: return work = {}, cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: return alloc_work(&params->alloc, work, call);
    case cudaGraphNodeTypeMemFree: return free_work(params->free.dptr, graph, work, call);
    case cudaGraphNodeTypeConditional: return conditional_work(&params->conditional, work, call);
    default: return refuse(call, cudaErrorNotSupported);
  }
}

}  // namespace

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count) {
  return add({node, graph, before, count, TILELAB_CALL}, [](Work&) { return cudaSuccess; });
}
// A call that adds a node of one kind: its name, what makes the node's work, its own parameters.
#define TILELAB_ADD(NAME, WORK, ...)                                                                                         \
  cudaError_t cudaGraphAdd##NAME(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count, \
                                 __VA_ARGS__) {                                                                              \
    const Call call = TILELAB_CALL;                                                                                          \
    return add({node, graph, before, count, call}, [&](Work& work) { return WORK; });                                        \
  }
TILELAB_ADD(KernelNode, kernel_work(params, work, call), const cudaKernelNodeParams* params)
TILELAB_ADD(MemcpyNode, copy_work(params, work, call), const cudaMemcpy3DParms* params)
TILELAB_ADD(MemcpyNode1D, copy_work(to, from, bytes, kind, work, call), void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
TILELAB_ADD(MemsetNode, fill_work(params, work, call), const cudaMemsetParams* params)
TILELAB_ADD(HostNode, host_work(params, work, call), const cudaHostNodeParams* params)
TILELAB_ADD(ChildGraphNode, child_work(child, work, call), cudaGraph_t child)
TILELAB_ADD(MemAllocNode, alloc_work(params, work, call), cudaMemAllocNodeParams* params)
TILELAB_ADD(MemFreeNode, free_work(pointer, *graph_of(graph), work, call), void* pointer)
TILELAB_ADD(Node, any_work(params, *graph_of(graph), work, call), cudaGraphNodeParams* params)
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                           cudaMemcpyKind kind) {
  const NewNode place{node, graph, before, count, TILELAB_CALL};
  return add(place, [&](Work& work) {
    void* to = nullptr;
    if (const cudaError_t error = address_of_variable(symbol, &to, place.call); error != cudaSuccess) return error;
    return copy_work(static_cast<char*>(to) + offset, from, bytes, kind, work, place.call);
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return get<KernelWork>(node, params, TILELAB_CALL, params_of);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call = TILELAB_CALL;
  return set(call, [&] { return node_of(node); }, [&](Work& work) { return copy_work(to, from, bytes, kind, work, call); });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  const Call call = TILELAB_CALL;
  return set(call, [&] { return own_node(graph, node); }, [&](Work& work) { return kernel_work(params, work, call); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  const Call call = TILELAB_CALL;
  return set(call, [&] { return own_node(graph, node); }, [&](Work& work) { return copy_work(params, work, call); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return get<ChildWork>(node, graph, TILELAB_CALL, [](const ChildWork& one) { return handle_of(*one.graphs[0]); });
}

namespace {

cudaError_t instantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const original = graph_of(graph);
  if (!made || !original) return refuse(call);
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) return refuse(call, cudaErrorNotSupported);
  auto one = std::make_unique<ExecutableGraph>();
  one->graph = original->clone();
  one->flags = flags;
  auto plan = plan_of(*one->graph);
  if (!plan) return refuse(call);  // the edges make a circle
  one->plan = std::move(*plan);
  *made = keep_executable(std::move(one));
  return cudaSuccess;
}

// Whether two graphs have the same nodes and edges, in the order of their making; `wrong` is the node of `to` that differs.
cudaGraphExecUpdateResult compare(const Graph& from, const Graph& to, const GraphNode** wrong, const GraphNode** wrong_from) {
  std::unordered_map<const GraphNode*, std::size_t> places;
  for (std::size_t i = 0; i < from.nodes().size(); ++i) places[from.nodes()[i].get()] = i;
  const std::size_t common = std::min(from.nodes().size(), to.nodes().size());
  for (std::size_t i = 0; i < common; ++i) {
    const GraphNode &one = *from.nodes()[i], &other = *to.nodes()[i];
    *wrong = &other;
    *wrong_from = &one;
    if (one.work.index() != other.work.index()) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (one.before.size() != other.before.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t k = 0; k < one.before.size(); ++k) {
      if (to.nodes()[places[one.before[k]]].get() != other.before[k]) return cudaGraphExecUpdateErrorTopologyChanged;
    }
    const auto inner = graphs_in(one.work), inner_of_other = graphs_in(other.work);
    const auto* const conditional = std::get_if<ConditionalWork>(&one.work);
    if (inner.size() != inner_of_other.size() || (conditional && conditional->type != std::get<ConditionalWork>(other.work).type))
      return cudaGraphExecUpdateErrorParametersChanged;
    for (std::size_t k = 0; k < inner.size(); ++k) {
      const auto result = compare(*inner[k], *inner_of_other[k], wrong, wrong_from);
      if (result != cudaGraphExecUpdateSuccess) return result;
    }
  }
  *wrong = *wrong_from = nullptr;
  return from.nodes().size() == to.nodes().size() ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
}

// `to` does what `from` does. Both have the same nodes.
void take_over(const Graph& from, Graph& to) {
  for (std::size_t i = 0; i < from.nodes().size(); ++i) {
    const GraphNode& source = *from.nodes()[i];
    GraphNode& own = *to.nodes()[i];
    own.at = source.at;
    const auto inner = graphs_in(source.work), own_inner = graphs_in(std::as_const(own.work));
    for (std::size_t k = 0; k < inner.size(); ++k) take_over(*inner[k], *own_inner[k]);
    if (const auto* const conditional = std::get_if<ConditionalWork>(&source.work))
      std::get<ConditionalWork>(own.work).handle = conditional->handle;
    if (inner.empty()) own.work = source.work;
  }
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(made, graph, flags, TILELAB_CALL);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(made, graph, flags, TILELAB_CALL);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  const std::lock_guard lock(graphs_mutex());
  return drop_executable(graph) ? cudaSuccess : refuse(TILELAB_CALL);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t) {
  const std::lock_guard lock(graphs_mutex());
  return executable_of(graph) ? cudaSuccess : refuse(TILELAB_CALL);
}

// Where the stream is captured, the graph becomes a child of the one that is made.
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const Call call = TILELAB_CALL;
  ExecutableGraph* one = nullptr;
  {
    const std::lock_guard lock(graphs_mutex());
    one = executable_of(graph);
    if (!one) return refuse(call);
    const auto captured = capture(stream, call, [&](Work& work) {
      if (has_memory_nodes(*one->graph)) return refuse(call, cudaErrorStreamCaptureUnsupported);
      return work = ChildWork(one->graph->clone()), cudaSuccess;
    });
    if (captured) return *captured;
  }
  return launch_graph(*one, stream, TILELAB_CALL);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result) {
  const std::lock_guard lock(graphs_mutex());
  ExecutableGraph* const one = executable_of(graph);
  const Graph* const from = graph_of(changed);
  if (!one || !from || !result) return refuse(TILELAB_CALL);
  const GraphNode *wrong = nullptr, *wrong_from = nullptr;
  *result = {compare(*from, *one->graph, &wrong_from, &wrong), nullptr, nullptr};
  if (result->result != cudaGraphExecUpdateSuccess) {
    if (wrong) result->errorNode = handle_of(const_cast<GraphNode&>(*wrong));
    if (wrong_from) result->errorFromNode = handle_of(const_cast<GraphNode&>(*wrong_from));
    return refuse(TILELAB_CALL, cudaErrorGraphExecUpdateFailure);
  }
  take_over(*from, *one->graph);
  return cudaSuccess;
}
