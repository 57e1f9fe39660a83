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
cudaError_t give(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* to, std::size_t* count, const char* call, std::uintptr_t at) {
  if (!count) return refuse(call, at);
  if (!to) return *count = nodes.size(), cudaSuccess;
  for (std::size_t i = 0; i < *count; ++i) to[i] = i < nodes.size() ? handle_of(*nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return cudaSuccess;
}

// The two lists of an edge's ends, as nodes of this graph.
bool read_edges(const Graph* graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count,
                std::vector<std::pair<GraphNode*, GraphNode*>>& edges) {
  if (!graph || (count > 0 && (!from || !to))) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode *const first = node_of(from[i]), *const second = node_of(to[i]);
    if (!first || !second || first == second || first->graph != graph || second->graph != graph) return false;
    edges.emplace_back(first, second);
  }
  return true;
}

bool is_edge(const GraphNode& from, const GraphNode& to) { return std::ranges::find(from.after, &to) != from.after.end(); }

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  if (!graph || flags != 0) return refuse("cudaGraphCreate", TILELAB_AT);
  const std::lock_guard lock(graphs_mutex());
  const std::shared_ptr<Graph> made = Graph::create();
  *graph = handle_of(*made);
  keep_graph(made);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(graphs_mutex());
  Graph* const one = graph_of(graph);
  return one && drop_graph(*one) ? cudaSuccess : refuse("cudaGraphDestroy", TILELAB_AT);
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(original);
  if (!clone || !one) return refuse("cudaGraphClone", TILELAB_AT);
  if (has_memory_nodes(*one)) return refuse("cudaGraphClone", TILELAB_AT, cudaErrorNotSupported);
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
  if (!found) return refuse("cudaGraphNodeFindInClone", TILELAB_AT);
  *node = handle_of(*found);
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const one = node_of(node);
  if (!one || !type) return refuse("cudaGraphNodeGetType", TILELAB_AT);
  *type = type_of(one->work);
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one) return refuse("cudaGraphGetNodes", TILELAB_AT);
  std::vector<GraphNode*> all;
  for (const auto& node : one->nodes()) all.push_back(node.get());
  return give(all, nodes, count, "cudaGraphGetNodes", TILELAB_AT);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one) return refuse("cudaGraphGetRootNodes", TILELAB_AT);
  std::vector<GraphNode*> roots;
  for (const auto& node : one->nodes()) {
    if (node->before.empty()) roots.push_back(node.get());
  }
  return give(roots, nodes, count, "cudaGraphGetRootNodes", TILELAB_AT);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  constexpr const char* call = "cudaGraphGetEdges";
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one || !count || !from != !to) return refuse(call, TILELAB_AT);
  std::vector<GraphNode*> first, second;
  for (const auto& node : one->nodes()) {
    for (GraphNode* const next : node->after) {
      first.push_back(node.get());
      second.push_back(next);
    }
  }
  std::size_t same = *count;
  if (const cudaError_t error = give(first, from, &same, call, TILELAB_AT); error != cudaSuccess) return error;
  return give(second, to, count, call, TILELAB_AT);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const one = node_of(node);
  if (!one) return refuse("cudaGraphNodeGetDependentNodes", TILELAB_AT);
  return give(one->after, nodes, count, "cudaGraphNodeGetDependentNodes", TILELAB_AT);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  const std::lock_guard lock(graphs_mutex());
  std::vector<std::pair<GraphNode*, GraphNode*>> edges;
  if (!read_edges(graph_of(graph), from, to, count, edges)) return refuse("cudaGraphAddDependencies", TILELAB_AT);
  if (std::ranges::any_of(edges, [](const auto& one) { return is_edge(*one.first, *one.second); }))
    return refuse("cudaGraphAddDependencies", TILELAB_AT);
  for (const auto& [first, second] : edges) {
    first->after.push_back(second);
    second->before.push_back(first);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  const std::lock_guard lock(graphs_mutex());
  std::vector<std::pair<GraphNode*, GraphNode*>> edges;
  if (!read_edges(graph_of(graph), from, to, count, edges)) return refuse("cudaGraphRemoveDependencies", TILELAB_AT);
  if (!std::ranges::all_of(edges, [](const auto& one) { return is_edge(*one.first, *one.second); }))
    return refuse("cudaGraphRemoveDependencies", TILELAB_AT);
  for (const auto& [first, second] : edges) {
    std::erase(first->after, second);
    std::erase(second->before, first);
  }
  return cudaSuccess;
}

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

// The executable graph's copy of a node. Null: it has none.
GraphNode* own_node(cudaGraphExec_t graph, cudaGraphNode_t node) {
  const ExecutableGraph* const one = executable_of(graph);
  const GraphNode* const original = node_of(node);
  return one && original ? one->graph->copy_of(*original) : nullptr;
}

// The node does something else from now on, of the same kind.
cudaError_t set_work(GraphNode* node, Work work, const char* call, std::uintptr_t at) {
  if (!node || node->work.index() != work.index()) return refuse(call, at);
  node->work = std::move(work);
  node->at = at;
  return cudaSuccess;
}

template <typename Make>
cudaError_t set(cudaGraphExec_t graph, cudaGraphNode_t node, const char* call, std::uintptr_t at, const Make& make) {
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const own = own_node(graph, node);
  if (!own) return refuse(call, at);
  Work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  return set_work(own, std::move(work), call, at);
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

// For cudaGraphAddNode. What CUDA writes into the parameters (an address, graphs) is written.
cudaError_t any_work(cudaGraphNodeParams* params, Graph& graph, Work& work, const char* call, std::uintptr_t at) {
  if (!params) return refuse(call, at);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: return kernel_work(&params->kernel, work, call, at);
    case cudaGraphNodeTypeMemcpy: return copy_work(&params->memcpy.copyParams, work, call, at);
    case cudaGraphNodeTypeMemset: return fill_work(&params->memset, work, call, at);
    case cudaGraphNodeTypeHost: return host_work(&params->host, work, call, at);
    case cudaGraphNodeTypeGraph: return child_work(params->graph.graph, work, call, at);
    case cudaGraphNodeTypeEmpty: return work = EmptyWork{}, cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: return alloc_work(&params->alloc, work, call, at);
    case cudaGraphNodeTypeMemFree: return free_work(params->free.dptr, graph, work, call, at);
    case cudaGraphNodeTypeConditional: return conditional_work(&params->conditional, work, call, at);
    default: return refuse(call, at, cudaErrorNotSupported);
  }
}

}  // namespace

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count) {
  return add({node, graph, before, count, "cudaGraphAddEmptyNode", TILELAB_AT}, [](Work&) { return cudaSuccess; });
}
// A call that adds a node of one kind: its name, what makes the node's work, its own parameters.
#define TILELAB_ADD(NAME, WORK, ...)                                                                                         \
  cudaError_t cudaGraphAdd##NAME(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count, \
                                 __VA_ARGS__) {                                                                              \
    const char* const call = "cudaGraphAdd" #NAME;                                                                           \
    const std::uintptr_t at = TILELAB_AT;                                                                                    \
    return add({node, graph, before, count, call, at}, [&](Work& work) { return WORK; });                                    \
  }
TILELAB_ADD(KernelNode, kernel_work(params, work, call, at), const cudaKernelNodeParams* params)
TILELAB_ADD(MemcpyNode, copy_work(params, work, call, at), const cudaMemcpy3DParms* params)
TILELAB_ADD(MemcpyNode1D, copy_work(to, from, bytes, kind, work, call, at), void* to, const void* from, std::size_t bytes,
            cudaMemcpyKind kind)
TILELAB_ADD(MemsetNode, fill_work(params, work, call, at), const cudaMemsetParams* params)
TILELAB_ADD(HostNode, host_work(params, work, call, at), const cudaHostNodeParams* params)
TILELAB_ADD(ChildGraphNode, child_work(child, work, call, at), cudaGraph_t child)
TILELAB_ADD(MemAllocNode, alloc_work(params, work, call, at), cudaMemAllocNodeParams* params)
TILELAB_ADD(MemFreeNode, free_work(pointer, *graph_of(graph), work, call, at), void* pointer)
TILELAB_ADD(Node, any_work(params, *graph_of(graph), work, call, at), cudaGraphNodeParams* params)
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

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return get<KernelWork>(node, params, "cudaGraphKernelNodeGetParams", TILELAB_AT, params_of);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  constexpr const char* call = "cudaGraphMemcpyNodeSetParams1D";
  const std::uintptr_t at = TILELAB_AT;
  const std::lock_guard lock(graphs_mutex());
  Work work;
  if (const cudaError_t error = copy_work(to, from, bytes, kind, work, call, at); error != cudaSuccess) return error;
  return set_work(node_of(node), std::move(work), call, at);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  constexpr const char* call = "cudaGraphExecKernelNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return kernel_work(params, work, call, at); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  constexpr const char* call = "cudaGraphExecMemcpyNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return copy_work(params, work, call, at); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return get<ChildWork>(node, graph, "cudaGraphChildGraphNodeGetGraph", TILELAB_AT,
                        [](const ChildWork& one) { return handle_of(*one.graph); });
}

namespace {

cudaError_t instantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags, const char* call, std::uintptr_t at) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const original = graph_of(graph);
  if (!made || !original) return refuse(call, at);
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) return refuse(call, at, cudaErrorNotSupported);
  auto one = std::make_unique<ExecutableGraph>();
  one->graph = original->clone();
  one->flags = flags;
  auto plan = plan_of(*one->graph);
  if (!plan) return refuse(call, at);  // the edges make a circle
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
    if (const auto* const child = std::get_if<ChildWork>(&one.work)) {
      const auto result = compare(*child->graph, *std::get<ChildWork>(other.work).graph, wrong, wrong_from);
      if (result != cudaGraphExecUpdateSuccess) return result;
    }
    if (const auto* const conditional = std::get_if<ConditionalWork>(&one.work)) {
      const auto& same = std::get<ConditionalWork>(other.work);
      if (conditional->type != same.type || conditional->bodies.size() != same.bodies.size())
        return cudaGraphExecUpdateErrorParametersChanged;
      for (std::size_t k = 0; k < conditional->bodies.size(); ++k) {
        const auto result = compare(*conditional->bodies[k], *same.bodies[k], wrong, wrong_from);
        if (result != cudaGraphExecUpdateSuccess) return result;
      }
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
    if (const auto* const child = std::get_if<ChildWork>(&source.work)) {
      take_over(*child->graph, *std::get<ChildWork>(own.work).graph);
    } else if (const auto* const conditional = std::get_if<ConditionalWork>(&source.work)) {
      auto& same = std::get<ConditionalWork>(own.work);
      same.handle = conditional->handle;
      for (std::size_t k = 0; k < same.bodies.size(); ++k) take_over(*conditional->bodies[k], *same.bodies[k]);
    } else {
      own.work = source.work;
    }
  }
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(made, graph, flags, "cudaGraphInstantiate", TILELAB_AT);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(made, graph, flags, "cudaGraphInstantiateWithFlags", TILELAB_AT);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  const std::lock_guard lock(graphs_mutex());
  return drop_executable(graph) ? cudaSuccess : refuse("cudaGraphExecDestroy", TILELAB_AT);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t) {
  const std::lock_guard lock(graphs_mutex());
  return executable_of(graph) ? cudaSuccess : refuse("cudaGraphUpload", TILELAB_AT);
}

// Where the stream is captured, the graph becomes a child of the one that is made.
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  constexpr const char* call = "cudaGraphLaunch";
  ExecutableGraph* one = nullptr;
  {
    const std::lock_guard lock(graphs_mutex());
    one = executable_of(graph);
    if (!one) return refuse(call, TILELAB_AT);
    const std::uintptr_t at = TILELAB_AT;
    const auto captured = capture(stream, call, at, [&](Work& work) {
      if (has_memory_nodes(*one->graph)) return refuse(call, at, cudaErrorStreamCaptureUnsupported);
      return work = ChildWork{one->graph->clone()}, cudaSuccess;
    });
    if (captured) return *captured;
  }
  return launch_graph(*one, stream, TILELAB_AT);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result) {
  const std::lock_guard lock(graphs_mutex());
  ExecutableGraph* const one = executable_of(graph);
  const Graph* const from = graph_of(changed);
  if (!one || !from || !result) return refuse("cudaGraphExecUpdate", TILELAB_AT);
  const GraphNode *wrong = nullptr, *wrong_from = nullptr;
  *result = {compare(*from, *one->graph, &wrong_from, &wrong), nullptr, nullptr};
  if (result->result != cudaGraphExecUpdateSuccess) {
    if (wrong) result->errorNode = handle_of(const_cast<GraphNode&>(*wrong));
    if (wrong_from) result->errorFromNode = handle_of(const_cast<GraphNode&>(*wrong_from));
    return refuse("cudaGraphExecUpdate", TILELAB_AT, cudaErrorGraphExecUpdateFailure);
  }
  take_over(*from, *one->graph);
  return cudaSuccess;
}
