// Implements what runtime_graphs.hpp declares about graphs as a whole: their nodes and edges.
#include <algorithm>

#include "host_api/graphs/dot_file.hpp"
#include "host_api/graphs/graph.hpp"
#include "host_api/graphs/graph_memory.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/runtime_graphs.hpp"

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

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  const std::lock_guard lock(graphs_mutex());
  GraphNode* const one = node_of(node);
  if (!one) return refuse("cudaGraphDestroyNode", TILELAB_AT);
  if (type_of(one->work) == cudaGraphNodeTypeMemAlloc || type_of(one->work) == cudaGraphNodeTypeMemFree)
    return refuse("cudaGraphDestroyNode", TILELAB_AT, cudaErrorNotSupported);
  one->graph->remove(*one);
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

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  const std::lock_guard lock(graphs_mutex());
  const GraphNode* const one = node_of(node);
  if (!one) return refuse("cudaGraphNodeGetDependencies", TILELAB_AT);
  return give(one->before, nodes, count, "cudaGraphNodeGetDependencies", TILELAB_AT);
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

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  const std::lock_guard lock(graphs_mutex());
  const Graph* const one = graph_of(graph);
  if (!one || !path) return refuse("cudaGraphDebugDotPrint", TILELAB_AT);
  return write_dot_file(*one, path) ? cudaSuccess : refuse("cudaGraphDebugDotPrint", TILELAB_AT, cudaErrorOperatingSystem);
}
