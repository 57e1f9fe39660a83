// Graphs: what their nodes do, how the program makes them, and how an executable one runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "host/library/host_session.hpp"
#include "host/runtime_graphs.hpp"

namespace tilelab_host {

// What a node of a graph does when its turn comes: plain data, copied when the node is made, as CUDA copies it.

class Graph;

struct KernelWork {
  const void* function = nullptr;
  std::string name;  // mangled
  LaunchShape shape;
  std::vector<std::vector<unsigned char>> values;  // of its parameters
  std::vector<void*> places{};                     // of the values: what cudaGraphKernelNodeGetParams hands out
};
// A node that runs graphs of its own.
struct GraphsWork {
  std::vector<std::shared_ptr<Graph>> graphs;
};
struct ChildWork : GraphsWork {
  explicit ChildWork(std::shared_ptr<Graph> child) { graphs.push_back(std::move(child)); }
};
struct ConditionalWork : GraphsWork {
  cudaGraphConditionalHandle handle{};
  cudaGraphConditionalNodeType type{};
  std::vector<cudaGraph_t> handles{};  // of the graphs: what phGraph_out leads to
};

// In the order of `types_of_work`. What CUDA has parameters for is kept as these.
using Work = std::variant<std::monostate, KernelWork, cudaMemcpy3DParms, cudaMemsetParams, cudaHostNodeParams, ChildWork,
                          cudaMemAllocNodeParams, cudaMemFreeNodeParams, ConditionalWork>;

cudaGraphNodeType type_of(const Work& work);

// The graphs of a node that runs some; of others none.
template <typename AnyWork>
auto graphs_in(AnyWork& work) {
  return std::visit(
      [](auto& one) -> std::span<std::conditional_t<std::is_const_v<AnyWork>, const std::shared_ptr<Graph>, std::shared_ptr<Graph>>> {
        if constexpr (std::is_base_of_v<GraphsWork, std::remove_cvref_t<decltype(one)>>)
          return one.graphs;
        else
          return {};
      },
      work);
}

// The same work, with copies of the graphs in it.
Work copy_of(const Work& work);

// Checked as CUDA does when a node is added or its parameters are set: by the broker where memory or a kernel is meant. On success
// `work` is there. `call`: the function of CUDA that was called, `at` where from.
cudaError_t kernel_work(const cudaKernelNodeParams* params, Work& work, const Call& call);
cudaError_t copy_work(const cudaMemcpy3DParms* params, Work& work, const Call& call);
cudaError_t copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Work& work, const Call& call);
cudaError_t fill_work(const cudaMemsetParams* params, Work& work, const Call& call);
cudaError_t host_work(const cudaHostNodeParams* params, Work& work, const Call& call);

// A line or a rectangle of bytes, as a copy in three dimensions.
cudaMemcpy3DParms copy_params(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows,
                              std::size_t row_bytes, cudaMemcpyKind kind);

// Graphs and their nodes as the program makes them: a list of nodes in the order of their making, and edges between them. Nothing runs
// here: see graph_launch.cpp. The program holds a graph or a node as a pointer, which is looked up before it is followed.

struct GraphNode {
  Graph* graph = nullptr;
  Work work;
  std::uintptr_t at = 0;       // where the program made it
  std::uint64_t id = 0;        // no two nodes have the same
  std::uint64_t original = 0;  // the node that this one is a copy of; 0: none
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

// Conditions of graphs: four bytes of the device's memory each, which kernels write and a node reads when its turn comes.

// On success the parameters have the graphs that the node runs.
cudaError_t conditional_work(cudaConditionalNodeParams* params, Work& work, const Call& call);

// A launch begins: the conditions of the graph, and of graphs in it, that have a value then.
cudaError_t assign_conditions(const Graph& graph, cudaStream_t stream, const Call& call);
// What the kernels before the node have said.
cudaError_t read_condition(cudaGraphConditionalHandle handle, cudaStream_t stream, const Call& call, unsigned int& value);

// Memory that nodes of graphs allocate: an address for each node, which the memory has whenever the node has run. And how much of the
// device's memory graphs hold: what is freed stays with them, for the next allocation in the same stream, until it is trimmed.

// On success the parameters have the address.
cudaError_t alloc_work(cudaMemAllocNodeParams* params, Work& work, const Call& call);
// `graph`: where the node will be. Freeing twice, or what no graph allocates, is an error.
cudaError_t free_work(void* pointer, const Graph& graph, Work& work, const Call& call);
bool is_of_graph(const void* pointer);
bool has_memory_nodes(const Graph& graph);

// A node's turn: `launched_in` is the stream of the graph, `stream` the branch, `launch` the number of the graph's launch.
cudaError_t allocate_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, const Call& call);
cudaError_t free_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, const Call& call);
// Frees what earlier launches of the graph have left.
cudaError_t free_left_over(const Graph& graph, cudaStream_t stream, const Call& call);
// The program has freed it in another way. False: it is no graph's.
bool note_freed_graph_memory(const void* pointer, cudaStream_t stream);

struct GraphMemory {
  std::size_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;  // bytes
};
GraphMemory graph_memory();
void trim_graph_memory();

// How an executable graph runs: its nodes one after the other, each in a branch. Nodes of one branch follow each other by edges; an edge
// between two branches becomes an event. So the broker, which knows streams and events, knows exactly the order that the edges give.

struct GraphPlan;

struct PlanStep {
  GraphNode* node = nullptr;         // null: a child graph begins here
  std::size_t branch = 0;            // 0: the stream of the launch itself
  bool begins = false;               // its branch, which is not 0
  std::vector<std::size_t> waits{};  // steps of other branches that it comes after
  bool is_waited_for = false;        // by a step of another branch, or by the end
  std::vector<GraphPlan> bodies{};   // of a condition
};

struct GraphPlan {
  std::vector<PlanStep> steps{};
  std::size_t branches = 1;
  std::vector<std::size_t> ends{};  // the last step of each branch but the first
};

// Nothing: the edges make a circle.
std::optional<GraphPlan> plan_of(const Graph& graph);

// Executable graphs: a copy of a graph with the plan of its run, and the run itself. Each node asks the broker for what it does, as a
// call of the program would have, from the place where the node was made.

struct ExecutableGraph {
  std::shared_ptr<Graph> graph;  // its own copy
  GraphPlan plan;
  unsigned long long flags = 0;
  cudaEvent_t ended = nullptr;  // recorded at the end of each launch: launches of one graph follow each other
};

// Null: there is no such graph (any more).
ExecutableGraph* executable_of(cudaGraphExec_t handle);
cudaGraphExec_t keep_executable(std::unique_ptr<ExecutableGraph> made);
bool drop_executable(cudaGraphExec_t handle);

cudaError_t launch_graph(ExecutableGraph& one, cudaStream_t stream, const Call& call);

}  // namespace tilelab_host
