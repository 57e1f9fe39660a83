// Implements what runtime_graphs.hpp declares about executable graphs: making, changing and launching them.
#include <algorithm>
#include <unordered_map>

#include "host_api/graphs/graph_launch.hpp"
#include "host_api/graphs/graph_memory.hpp"
#include "host_api/graphs/node_calls.hpp"
#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/runtime_graphs.hpp"

using namespace tilelab_host;

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

// The executable graph's copy of a node. Null: it has none.
GraphNode* own_node(cudaGraphExec_t graph, cudaGraphNode_t node) {
  const ExecutableGraph* const one = executable_of(graph);
  const GraphNode* const original = node_of(node);
  return one && original ? one->graph->copy_of(*original) : nullptr;
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
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphInstantiateParams* params) {
  if (!params) return refuse("cudaGraphInstantiateWithParams", TILELAB_AT);
  const cudaError_t error = instantiate(made, graph, params->flags, "cudaGraphInstantiateWithParams", TILELAB_AT);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  const std::lock_guard lock(graphs_mutex());
  return drop_executable(graph) ? cudaSuccess : refuse("cudaGraphExecDestroy", TILELAB_AT);
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graph, unsigned long long* flags) {
  const std::lock_guard lock(graphs_mutex());
  const ExecutableGraph* const one = executable_of(graph);
  if (!one || !flags) return refuse("cudaGraphExecGetFlags", TILELAB_AT);
  *flags = one->flags;
  return cudaSuccess;
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
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node, void* to, const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  constexpr const char* call = "cudaGraphExecMemcpyNodeSetParams1D";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return copy_work(to, from, bytes, kind, work, call, at); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemsetParams* params) {
  constexpr const char* call = "cudaGraphExecMemsetNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return fill_work(params, work, call, at); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaHostNodeParams* params) {
  constexpr const char* call = "cudaGraphExecHostNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return host_work(params, work, call, at); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraph_t child) {
  constexpr const char* call = "cudaGraphExecChildGraphNodeSetParams";
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const own = own_node(graph, node);
  const Graph* const from = graph_of(child);
  auto* const work = own ? std::get_if<ChildWork>(&own->work) : nullptr;
  if (!work || !from) return refuse(call, TILELAB_AT);
  const GraphNode *wrong = nullptr, *wrong_from = nullptr;
  if (compare(*from, *work->graph, &wrong_from, &wrong) != cudaGraphExecUpdateSuccess)
    return refuse(call, TILELAB_AT, cudaErrorGraphExecUpdateFailure);
  take_over(*from, *work->graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event) {
  constexpr const char* call = "cudaGraphExecEventRecordNodeSetEvent";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return event_work(event, true, work, call, at); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event) {
  constexpr const char* call = "cudaGraphExecEventWaitNodeSetEvent";
  const std::uintptr_t at = TILELAB_AT;
  return set(graph, node, call, at, [&](Work& work) { return event_work(event, false, work, call, at); });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraphNodeParams* params) {
  constexpr const char* call = "cudaGraphExecNodeSetParams";
  const std::uintptr_t at = TILELAB_AT;
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const own = own_node(graph, node);
  if (!own || !params || params->type != type_of(own->work)) return refuse(call, at);
  if (params->type == cudaGraphNodeTypeGraph) return cudaGraphExecChildGraphNodeSetParams(graph, node, params->graph.graph);
  return set(graph, node, call, at, [&](Work& work) { return any_work(params, *own->graph, work, call, at); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned int enabled) {
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const own = own_node(graph, node);
  const bool can = own && (std::holds_alternative<KernelWork>(own->work) || std::holds_alternative<CopyWork>(own->work) ||
                           std::holds_alternative<FillWork>(own->work));
  if (!can) return refuse("cudaGraphNodeSetEnabled", TILELAB_AT);
  own->is_enabled = enabled != 0;
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned int* enabled) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const own = own_node(graph, node);
  if (!own || !enabled) return refuse("cudaGraphNodeGetEnabled", TILELAB_AT);
  *enabled = own->is_enabled ? 1 : 0;
  return cudaSuccess;
}
