// Implements graph.hpp.
#include "host_api/graphs/graph.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tilelab_host {
namespace {

// Never destroyed: destructors of the program's objects may still use graphs.
struct Known {
  std::recursive_mutex mutex;
  std::unordered_set<const void*> graphs, nodes;
  std::vector<std::shared_ptr<Graph>> programs_own;
  std::uint64_t last_id = 0;
};
Known& known() {
  static Known* const all = new Known;
  return *all;
}

}  // namespace

std::recursive_mutex& graphs_mutex() { return known().mutex; }

std::shared_ptr<Graph> Graph::create() {
  const std::shared_ptr<Graph> made(new Graph);
  known().graphs.insert(made.get());
  return made;
}

Graph::~Graph() {
  known().graphs.erase(this);
  for (const auto& node : nodes_) known().nodes.erase(node.get());
}

GraphNode& Graph::add(Work work, std::span<GraphNode* const> before, std::uintptr_t at) {
  GraphNode& node = *nodes_.emplace_back(std::make_unique<GraphNode>());
  node.graph = this;
  node.work = std::move(work);
  node.at = at;
  node.id = ++known().last_id;
  for (GraphNode* const one : before) {
    if (std::ranges::find(node.before, one) != node.before.end()) continue;
    node.before.push_back(one);
    one->after.push_back(&node);
  }
  known().nodes.insert(&node);
  return node;
}

void Graph::remove(GraphNode& node) {
  for (GraphNode* const one : node.before) std::erase(one->after, &node);
  for (GraphNode* const one : node.after) std::erase(one->before, &node);
  known().nodes.erase(&node);
  std::erase_if(nodes_, [&](const auto& one) { return one.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone() const {
  const std::shared_ptr<Graph> copy = create();
  copy->conditions = conditions;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes_) {
    GraphNode& made = copy->add(tilelab_host::copy_of(node->work), {}, node->at);
    made.original = node->id;
    made.is_enabled = node->is_enabled;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes_) {
    for (const GraphNode* const one : node->before) copies[node.get()]->before.push_back(copies.at(one));
    for (const GraphNode* const one : node->after) copies[node.get()]->after.push_back(copies.at(one));
  }
  return copy;
}

GraphNode* Graph::copy_of(const GraphNode& original) const {
  for (const auto& node : nodes_) {
    if (node->original == original.id) return node.get();
    GraphNode* inner = nullptr;
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) inner = child->graph->copy_of(original);
    if (const auto* const conditional = std::get_if<ConditionalWork>(&node->work)) {
      for (const auto& body : conditional->bodies) inner = inner != nullptr ? inner : body->copy_of(original);
    }
    if (inner != nullptr) return inner;
  }
  return nullptr;
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

std::vector<GraphNode*> Graph::in_order() const {
  std::unordered_map<const GraphNode*, std::size_t> missing, places;
  std::map<std::size_t, GraphNode*> ready;  // by their places: nodes without an order run as they were made
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    places[nodes_[i].get()] = i;
    missing[nodes_[i].get()] = nodes_[i]->before.size();
    if (nodes_[i]->before.empty()) ready[i] = nodes_[i].get();
  }
  std::vector<GraphNode*> order;
  while (!ready.empty()) {
    GraphNode* const one = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(one);
    for (GraphNode* const next : one->after) {
      if (--missing[next] == 0) ready[places[next]] = next;
    }
  }
  return order;
}

Graph* graph_of(cudaGraph_t handle) { return known().graphs.contains(handle) ? reinterpret_cast<Graph*>(handle) : nullptr; }

GraphNode* node_of(cudaGraphNode_t handle) { return known().nodes.contains(handle) ? reinterpret_cast<GraphNode*>(handle) : nullptr; }

void keep_graph(std::shared_ptr<Graph> graph) {
  graph->is_programs_own = true;
  known().programs_own.push_back(std::move(graph));
}

bool drop_graph(Graph& graph) {
  return std::erase_if(known().programs_own, [&](const auto& one) { return one.get() == &graph; }) != 0;
}

}  // namespace tilelab_host
