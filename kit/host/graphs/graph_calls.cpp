// Implements what runtime_graphs.hpp declares about graphs, their nodes and executable graphs.
#include "host/runtime_graphs.hpp"

#include <algorithm>
#include <unordered_map>

#include "host/graphs/graph.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  if (!graph || flags != 0) return refuse(TILELAB_CALL);
  const std::lock_guard lock(graphs_mutex());
  *graph = keep_graph(Graph::create());
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(graphs_mutex());
  return drop_graph(graph) ? cudaSuccess : refuse(TILELAB_CALL);
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(original);
  if (!clone || !one) return refuse(TILELAB_CALL);
  if (one->has_memory_nodes()) return refuse(TILELAB_CALL, cudaErrorNotSupported);
  *clone = keep_graph(one->clone());
  return cudaSuccess;
}

// CUDA's way of a list: a null list asks for the number; what has no place is null.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one || !count) return refuse(TILELAB_CALL);
  const auto& all = one->nodes();
  if (!nodes) return *count = all.size(), cudaSuccess;
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < all.size() ? handle_of(*all[i]) : nullptr;
  *count = std::min(*count, all.size());
  return cudaSuccess;
}

// None of these edges is there. The two lists hold their ends.
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one || (count > 0 && (!from || !to))) return refuse(call);
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode *const first = node_of(from[i]), *const second = node_of(to[i]);
    if (!first || !second || first == second || first->graph != one || second->graph != one) return refuse(call);
    if (std::ranges::find(first->after, second) != first->after.end()) return refuse(call);
  }
  for (std::size_t i = 0; i < count; ++i) {
    node_of(from[i])->after.push_back(node_of(to[i]));
    node_of(to[i])->before.push_back(node_of(from[i]));
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

cudaError_t volume_work(const cudaMemcpy3DParms* params, Work& work, const Call& call) {
  Copy copy;
  const cudaError_t error = read_copy(params, copy, call);
  return error == cudaSuccess ? copy_work(copy, work, call) : error;
}

cudaError_t memory_work(cudaMemAllocNodeParams* params, Work& work, const Call& call) {
  if (!params) return refuse(call);
  const cudaMemLocation& place = params->poolProps.location;
  if (params->poolProps.allocType != cudaMemAllocationTypePinned || place.type != cudaMemLocationTypeDevice) return refuse(call);
  if (place.id != 0) return refuse(call, cudaErrorInvalidDevice);
  return alloc_work(params->bytesize, &params->dptr, work, call);
}

cudaError_t instantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const original = graph_of(graph);
  if (!made || !original) return refuse(call);
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) return refuse(call, cudaErrorNotSupported);
  *made = make_executable(*original, flags);
  return *made ? cudaSuccess : refuse(call);
}

// Whether two graphs have the same nodes and edges, in the order of their making; `wrong`: the place of the first node that differs.
cudaGraphExecUpdateResult compare(const Graph& from, const Graph& to, std::size_t& wrong) {
  std::unordered_map<const GraphNode*, std::size_t> places;
  for (std::size_t i = 0; i < from.nodes().size(); ++i) places[from.nodes()[i].get()] = i;
  const std::size_t common = std::min(from.nodes().size(), to.nodes().size());
  for (wrong = 0; wrong < common; ++wrong) {
    const GraphNode &one = *from.nodes()[wrong], &other = *to.nodes()[wrong];
    if (one.work.index() != other.work.index()) return cudaGraphExecUpdateErrorNodeTypeChanged;
    const auto is_same = [&](const GraphNode* before, const GraphNode* its) { return to.nodes()[places[before]].get() == its; };
    if (!std::ranges::equal(one.before, other.before, is_same)) return cudaGraphExecUpdateErrorTopologyChanged;
  }
  return from.nodes().size() == to.nodes().size() ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
}

}  // namespace

// A call that adds a node of one kind: its name, what makes the node's work, its own parameters.
#define TILELAB_ADD(NAME, WORK, ...)                                                                      \
  cudaError_t cudaGraphAdd##NAME(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, \
                                 std::size_t count __VA_OPT__(, ) __VA_ARGS__) {                          \
    const Call call = TILELAB_CALL;                                                                       \
    return add({node, graph, before, count, call}, [&]([[maybe_unused]] Work& work) { return WORK; });    \
  }
TILELAB_ADD(EmptyNode, cudaSuccess)
TILELAB_ADD(KernelNode, kernel_work(params, work, call), const cudaKernelNodeParams* params)
TILELAB_ADD(MemcpyNode, volume_work(params, work, call), const cudaMemcpy3DParms* params)
TILELAB_ADD(MemcpyNode1D, copy_work(line_copy(to, from, bytes, kind), work, call), void* to, const void* from, std::size_t bytes,
            cudaMemcpyKind kind)
TILELAB_ADD(MemsetNode, fill_work(params, work, call), const cudaMemsetParams* params)
TILELAB_ADD(HostNode, host_work(params, work, call), const cudaHostNodeParams* params)
TILELAB_ADD(MemAllocNode, memory_work(params, work, call), cudaMemAllocNodeParams* params)
TILELAB_ADD(MemFreeNode, free_work(pointer, *graph_of(graph), work, call), void* pointer)

// The executable graph's copy of the node does something else from now on.
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  const ExecutableGraph* const one = executable_of(graph);
  const GraphNode* const original = node_of(node);
  if (!one || !original) return refuse(call);
  const auto own = std::ranges::find(one->graph->nodes(), original->id, &GraphNode::original);
  if (own == one->graph->nodes().end() || !std::holds_alternative<KernelWork>((*own)->work)) return refuse(call);
  const cudaError_t error = kernel_work(params, (*own)->work, call);
  if (error == cudaSuccess) (*own)->at = call.at;
  return error;
}

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

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const Call call = TILELAB_CALL;
  ExecutableGraph* one = nullptr;
  {
    const std::lock_guard lock(graphs_mutex());
    one = executable_of(graph);
    if (!one) return refuse(call);
    const auto captured = capture(stream, call, [&](Work&) -> cudaError_t {
      Session::open().refuse("A graph cannot be launched in a captured stream here: graphs in graphs are missing.", call);
    });
    if (captured) return *captured;
  }
  return launch_graph(*one, stream, call);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result) {
  const std::lock_guard lock(graphs_mutex());
  ExecutableGraph* const one = executable_of(graph);
  const Graph* const from = graph_of(changed);
  if (!one || !from || !result) return refuse(TILELAB_CALL);
  const auto &nodes = from->nodes(), &own = one->graph->nodes();
  std::size_t wrong = 0;
  *result = {compare(*from, *one->graph, wrong), nullptr, nullptr};
  if (result->result != cudaGraphExecUpdateSuccess) {
    if (wrong < std::min(nodes.size(), own.size())) {
      result->errorNode = handle_of(*nodes[wrong]);
      result->errorFromNode = handle_of(*own[wrong]);
    }
    return refuse(TILELAB_CALL, cudaErrorGraphExecUpdateFailure);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    own[i]->at = nodes[i]->at;
    own[i]->work = nodes[i]->work;
  }
  return cudaSuccess;
}
