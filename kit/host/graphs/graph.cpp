// Implements graph.hpp, but for what graph_launch.cpp has.
#include "host/graphs/graph.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tilelab_host {

cudaError_t kernel_work(const std::string& kernel, LaunchShape shape, std::span<const KernelParameter> parameters, Work& work,
                        const Call& call) {
  shape.stream = nullptr;
  KernelWork made{kernel, shape, {}};
  for (const KernelParameter& one : parameters) {
    const auto* const first = static_cast<const unsigned char*>(one.at);
    made.values.emplace_back(first, first + one.bytes);
  }
  const cudaError_t error = request_launch(kernel, shape, parameters, call.planned());
  if (error == cudaSuccess) work = std::move(made);
  return error;
}

cudaError_t kernel_work(const cudaKernelNodeParams* params, Work& work, const Call& call) {
  if (!params || !params->func || params->extra) return refuse(call);
  KernelFacts kernel;
  std::vector<KernelParameter> parameters;
  if (const cudaError_t error = read_arguments(params->func, params->kernelParams, kernel, parameters, call); error != cudaSuccess)
    return error;
  return kernel_work(kernel.name, {params->gridDim, params->blockDim, params->sharedMemBytes}, parameters, work, call);
}

cudaError_t copy_work(const Copy& copy, Work& work, const Call& call) {
  const cudaError_t error = carry_out(copy, {nullptr, true}, call.planned());
  if (error == cudaSuccess) work = copy;
  return error;
}

cudaError_t fill_work(const cudaMemsetParams* params, Work& work, const Call& call) {
  if (!params) return refuse(call);
  const unsigned int width = params->elementSize;
  std::size_t row_bytes = 0;
  if ((width != 1 && width != 2 && width != 4) || __builtin_mul_overflow(params->width, width, &row_bytes)) return refuse(call);
  const cudaError_t error = fill_rows(*params, {nullptr, true}, call.planned());
  if (error == cudaSuccess) work = *params;
  return error;
}

cudaError_t host_work(const cudaHostNodeParams* params, Work& work, const Call& call) {
  if (!params || !params->fn) return refuse(call);
  work = *params;
  return cudaSuccess;
}

namespace {

// Never destroyed: destructors of the program's objects may still use graphs.
struct KnownGraphs {
  std::recursive_mutex mutex;
  std::unordered_set<const void*> graphs, nodes;
  std::vector<std::shared_ptr<Graph>> programs_own;
  std::uint64_t last_id = 0;
};
KnownGraphs& known_graphs() {
  static KnownGraphs* const all = new KnownGraphs;
  return *all;
}

}  // namespace

std::recursive_mutex& graphs_mutex() { return known_graphs().mutex; }

std::shared_ptr<Graph> Graph::create() {
  const std::shared_ptr<Graph> made(new Graph);
  known_graphs().graphs.insert(made.get());
  return made;
}

Graph::~Graph() {
  known_graphs().graphs.erase(this);
  for (const auto& node : nodes_) known_graphs().nodes.erase(node.get());
}

GraphNode& Graph::add(Work work, std::span<GraphNode* const> before, std::uintptr_t at) {
  GraphNode& node = *nodes_.emplace_back(std::make_unique<GraphNode>());
  node.graph = this;
  node.work = std::move(work);
  node.at = at;
  node.id = ++known_graphs().last_id;
  for (GraphNode* const one : before) {
    if (std::ranges::find(node.before, one) != node.before.end()) continue;
    node.before.push_back(one);
    one->after.push_back(&node);
  }
  known_graphs().nodes.insert(&node);
  return node;
}

std::shared_ptr<Graph> Graph::clone() const {
  const std::shared_ptr<Graph> copy = create();
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes_) {
    GraphNode& made = copy->add(node->work, {}, node->at);
    made.original = node->id;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes_) {
    for (const GraphNode* const one : node->before) copies[node.get()]->before.push_back(copies.at(one));
    for (const GraphNode* const one : node->after) copies[node.get()]->after.push_back(copies.at(one));
  }
  return copy;
}

bool Graph::has_memory_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    return std::holds_alternative<AllocationWork>(node->work) || std::holds_alternative<FreeWork>(node->work);
  });
}

bool Graph::leads(const GraphNode& from, const GraphNode& to) {
  std::unordered_set<const GraphNode*> seen;
  std::vector<const GraphNode*> next = {&from};
  while (!next.empty()) {
    const GraphNode* const one = next.back();
    next.pop_back();
    if (one == &to) return true;
    if (seen.insert(one).second) next.insert(next.end(), one->after.begin(), one->after.end());
  }
  return false;
}

std::vector<const GraphNode*> Graph::in_order() const {
  std::unordered_map<const GraphNode*, std::size_t> missing, places;
  std::map<std::size_t, const GraphNode*> ready;  // by their places: nodes without an order run as they were made
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    places[nodes_[i].get()] = i;
    missing[nodes_[i].get()] = nodes_[i]->before.size();
    if (nodes_[i]->before.empty()) ready[i] = nodes_[i].get();
  }
  std::vector<const GraphNode*> order;
  while (!ready.empty()) {
    const GraphNode* const one = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(one);
    for (const GraphNode* const next : one->after) {
      if (--missing[next] == 0) ready[places[next]] = next;
    }
  }
  return order;
}

Graph* graph_of(cudaGraph_t handle) { return known_graphs().graphs.contains(handle) ? reinterpret_cast<Graph*>(handle) : nullptr; }

GraphNode* node_of(cudaGraphNode_t handle) {
  return known_graphs().nodes.contains(handle) ? reinterpret_cast<GraphNode*>(handle) : nullptr;
}

cudaGraph_t keep_graph(std::shared_ptr<Graph> graph) { return handle_of(*known_graphs().programs_own.emplace_back(std::move(graph))); }

bool drop_graph(cudaGraph_t handle) {
  return std::erase_if(known_graphs().programs_own, [&](const auto& one) { return handle_of(*one) == handle; }) != 0;
}

}  // namespace tilelab_host
