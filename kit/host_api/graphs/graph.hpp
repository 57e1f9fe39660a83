// Graphs and their nodes as the program makes them: a list of nodes in the order of their making, and edges between them. Nothing runs
// here: see graph_launch.hpp. The program holds a graph or a node as a pointer, which is looked up before it is followed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "host_api/graphs/graph_work.hpp"

namespace tilelab_host {

struct GraphNode {
  Graph* graph = nullptr;
  Work work;
  std::uintptr_t at = 0;       // where the program made it
  std::uint64_t id = 0;        // no two nodes have the same
  std::uint64_t original = 0;  // the node that this one is a copy of; 0: none
  bool is_enabled = true;      // of an executable graph: otherwise it does nothing
  std::vector<GraphNode*> before{}, after{};
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  static std::shared_ptr<Graph> create();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // `before`: nodes of this graph.
  GraphNode& add(Work work, std::span<GraphNode* const> before, std::uintptr_t at);
  void remove(GraphNode& node);
  std::shared_ptr<Graph> clone() const;
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  // The copy, in this graph or in one of a node of it, of a node that it was cloned from; or null.
  GraphNode* copy_of(const GraphNode& original) const;
  // Whether edges lead from `from` to `to`, over other nodes or not.
  static bool leads(const GraphNode& from, const GraphNode& to);
  // In an order that follows the edges. Shorter than nodes(): the edges make a circle.
  std::vector<GraphNode*> in_order() const;

  // Of a graph that the program made itself, and not of a node's.
  bool is_programs_own = false;
  // Conditions that begin with a value at each launch.
  struct Condition {
    cudaGraphConditionalHandle handle = 0;
    unsigned int value = 0;
    bool is_assigned = false;
  };
  std::vector<Condition> conditions;

 private:
  Graph() = default;
  std::vector<std::unique_ptr<GraphNode>> nodes_;
};

// Held while graphs are made, changed or looked up; not while they run.
std::recursive_mutex& graphs_mutex();

// Null: there is no such graph or node (any more).
Graph* graph_of(cudaGraph_t handle);
GraphNode* node_of(cudaGraphNode_t handle);
inline cudaGraph_t handle_of(Graph& graph) { return reinterpret_cast<cudaGraph_t>(&graph); }
inline cudaGraphNode_t handle_of(GraphNode& node) { return reinterpret_cast<cudaGraphNode_t>(&node); }

// The program made this graph, and destroys it.
void keep_graph(std::shared_ptr<Graph> graph);
bool drop_graph(Graph& graph);  // false: it is a node's

}  // namespace tilelab_host
