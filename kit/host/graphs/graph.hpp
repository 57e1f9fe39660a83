// Graphs: what their nodes do, how the program makes them, and how an executable one runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

struct KernelWork {
  std::string name;  // mangled
  LaunchShape shape;
  std::vector<std::vector<unsigned char>> values;  // of its parameters
};
// A node has an address of its own, which the memory has whenever the node has run.
struct AllocationWork {
  void* pointer = nullptr;
};
struct FreeWork {
  void* pointer = nullptr;
};
using Work = std::variant<std::monostate, KernelWork, Copy, cudaMemsetParams, cudaHostNodeParams, AllocationWork, FreeWork>;

class Graph;

// Checked as CUDA does when a node is added or its parameters are set: by the broker where memory or a kernel is meant. On success
// `work` is there. `call`: the function of CUDA that was called, `at` where from.
cudaError_t kernel_work(const std::string& kernel, LaunchShape shape, std::span<const KernelParameter> parameters, Work& work,
                        const Call& call);
cudaError_t kernel_work(const cudaKernelNodeParams* params, Work& work, const Call& call);
cudaError_t copy_work(const Copy& copy, Work& work, const Call& call);
cudaError_t fill_work(const cudaMemsetParams* params, Work& work, const Call& call);
cudaError_t host_work(const cudaHostNodeParams* params, Work& work, const Call& call);
// On success the address is there.
cudaError_t alloc_work(std::size_t bytes, void** pointer, Work& work, const Call& call);
// `graph`: where the node will be. Freeing twice, or what no graph allocates, is an error.
cudaError_t free_work(void* pointer, const Graph& graph, Work& work, const Call& call);

// The program has freed memory that a graph has allocated, or another's.
void note_freed_graph_memory(const void* pointer);

// Graphs and their nodes as the program makes them: a list of nodes in the order of their making, and edges between them. Nothing runs
// here: see launch_graph(). The program holds a graph or a node as a pointer, which is looked up before it is followed.

struct GraphNode {
  Graph* graph = nullptr;
  Work work;
  std::uintptr_t at = 0;       // where the program made it
  std::uint64_t id = 0;        // no two nodes have the same
  std::uint64_t original = 0;  // the node that this one is a copy of; 0: none
  std::vector<GraphNode*> before{}, after{};
};

class Graph {
 public:
  static std::shared_ptr<Graph> create();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // `before`: nodes of this graph.
  GraphNode& add(Work work, std::span<GraphNode* const> before, std::uintptr_t at);
  std::shared_ptr<Graph> clone() const;
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  // Whether a node allocates or frees memory.
  bool has_memory_nodes() const;
  // Whether edges lead from `from` to `to`, over other nodes or not.
  static bool leads(const GraphNode& from, const GraphNode& to);
  // In an order that follows the edges. Shorter than nodes(): the edges make a circle.
  std::vector<const GraphNode*> in_order() const;

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

// The program made this graph, and destroys it. Returns its handle.
cudaGraph_t keep_graph(std::shared_ptr<Graph> graph);
bool drop_graph(cudaGraph_t handle);  // false: there is no such graph

// Executable graphs: a copy of a graph with the plan of its run. Nodes run one after the other, each in a branch. Nodes of one branch
// follow each other by edges; an edge between two branches becomes an event. So the broker, which knows streams and events, knows exactly
// the order that the edges give.

struct PlanStep {
  const GraphNode* node;
  std::size_t branch = 0;            // 0: the stream of the launch itself
  bool begins = false;               // its branch, which is not 0
  std::vector<std::size_t> waits{};  // steps of other branches that it comes after
  bool is_waited_for = false;        // by a step of another branch, or by the end
};

struct ExecutableGraph {
  std::shared_ptr<Graph> graph;  // its own copy
  std::vector<PlanStep> steps{};
  std::vector<std::size_t> ends{};  // the last step of each branch but the first
  unsigned long long flags = 0;
  std::vector<cudaEvent_t> events{};  // of each step, of the start and of the end; null: not needed yet
};

// Null: there is no such graph (any more).
ExecutableGraph* executable_of(cudaGraphExec_t handle);
// Null: the edges make a circle.
cudaGraphExec_t make_executable(const Graph& graph, unsigned long long flags);
bool drop_executable(cudaGraphExec_t handle);

// Each node asks the broker for what it does, as a call of the program would have, from the place where the node was made.
cudaError_t launch_graph(ExecutableGraph& one, cudaStream_t stream, const Call& call);

// What the program said about each of its streams when it made it, the hidden streams in which branches of its graphs run, and the
// streams whose work becomes nodes of a graph.

struct StreamTraits {
  unsigned int flags = cudaStreamDefault;
  int priority = 0;
};

void remember_stream(cudaStream_t stream, StreamTraits traits);
StreamTraits traits_of(cudaStream_t stream);
bool is_stream(cudaStream_t stream);
bool is_blocking(cudaStream_t stream);

// `count` streams for the branches of graphs that are launched in `stream`. Launches in one stream follow each other, so they have
// the same ones. Where no more can be made, `stream` itself stands for the rest.
std::vector<cudaStream_t> branches_of(cudaStream_t stream, std::size_t count);
// The streams for its branches go too.
void drop_stream(cudaStream_t stream);

cudaError_t record(cudaEvent_t event, cudaStream_t stream, const Call& call);
cudaError_t wait(cudaStream_t stream, cudaEvent_t event, const Call& call);
// The host's function runs when its turn has come: the library waits for that.
cudaError_t call_host(const cudaHostNodeParams& host, cudaStream_t stream, const Call& call);

// Streams whose work becomes nodes of a graph instead of running: which streams are captured, what their next node comes after, and which
// calls are not allowed meanwhile.

// The call adds work to the stream. Nothing: the stream is not captured, and the call goes on. Otherwise what it returns: `make` has made
// the node's work, or the call is not allowed. `call`: the function of CUDA; `at`: where it was called.
using MakeWork = std::function<cudaError_t(Work&)>;
std::optional<cudaError_t> capture(cudaStream_t stream, const Call& call, const MakeWork& make);
// The same of a copy or a fill. One that the host waits for is in no graph.
std::optional<cudaError_t> capture_copy(const CopyOrder& order, const Call& call, const MakeWork& make);

// The call would wait for a stream, look at it, or do something else that a captured stream cannot do. Nothing: it goes on.
std::optional<cudaError_t> wait_in_capture(cudaStream_t stream, const Call& call);
std::optional<cudaError_t> wait_for_all_in_capture(const Call& call);
std::optional<cudaError_t> use_of_legacy_stream(const Call& call);
// A call that CUDA may carry out in more than one way: it is allowed or not by the modes of the captures.
std::optional<cudaError_t> unsafe_in_capture(const Call& call);

// Events that were last recorded in a captured stream order nodes, and no work. Nothing: the call goes on.
std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream, const Call& call);
std::optional<cudaError_t> wait_for_event_in_capture(cudaStream_t stream, cudaEvent_t event, const Call& call);
std::optional<cudaError_t> use_of_captured_event(cudaEvent_t event, const Call& call);

void forget_event(cudaEvent_t event);
void forget_stream(cudaStream_t stream);
bool is_any_captured();
// The graph that the stream's work becomes; null: it is not captured.
const Graph* graph_of_capture(cudaStream_t stream);

}  // namespace tilelab_host
