// Implements graph.hpp: makes graphs, plans and runs executable ones, and knows the memory that their nodes allocate.
#include "host/graphs/graph.hpp"

#include <algorithm>
#include <atomic>
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

// Memory of graphs' nodes, by address. Never destroyed, as the graphs are not. Guarded by graphs_mutex().
struct Reserved {
  std::size_t bytes = 0;
  bool is_live = false;
};
std::map<const void*, Reserved>& reserved() {
  static auto* const all = new std::map<const void*, Reserved>;
  return *all;
}

cudaError_t allocate(void* pointer, cudaStream_t stream, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  Reserved& one = reserved()[pointer];
  const cudaError_t error =
      request("allocate", call, {{"bytes", one.bytes}, {"kind", "device"}, {"address", number_of(pointer)}, {"stream", number_of(stream)}});
  if (error == cudaSuccess) one.is_live = true;
  return error;
}

std::map<cudaGraphExec_t, std::unique_ptr<ExecutableGraph>>& executables() {
  static auto* const all = new std::map<cudaGraphExec_t, std::unique_ptr<ExecutableGraph>>;  // never destroyed
  return *all;
}

cudaEvent_t event_of(ExecutableGraph& graph, std::size_t place) {
  cudaEvent_t& event = graph.events[place];
  if (event == nullptr) (void)request("event", {}, {{"what", "create"}, {"event", 0}, {"hidden", true}}, "event", event);
  return event;
}

// Nothing for a node that only orders others.
cudaError_t perform(std::monostate, cudaStream_t, const Call&) { return cudaSuccess; }
cudaError_t perform(const KernelWork& kernel, cudaStream_t stream, const Call& call) {
  LaunchShape shape = kernel.shape;
  shape.stream = stream;
  std::vector<KernelParameter> parameters;
  for (const auto& value : kernel.values) parameters.push_back({value.data(), value.size()});
  return request_launch(kernel.name, shape, parameters, call);
}
cudaError_t perform(const Copy& copy, cudaStream_t stream, const Call& call) { return carry_out(copy, {stream, true}, call); }
cudaError_t perform(const cudaMemsetParams& fill, cudaStream_t stream, const Call& call) { return fill_rows(fill, {stream, true}, call); }
cudaError_t perform(const cudaHostNodeParams& host, cudaStream_t stream, const Call& call) {
  return call_host(host, stream, {call.name, call.at});
}
cudaError_t perform(const AllocationWork& one, cudaStream_t stream, const Call& call) { return allocate(one.pointer, stream, call); }
cudaError_t perform(const FreeWork& one, cudaStream_t stream, const Call& call) { return free_in_stream(one.pointer, stream, call); }

// Frees what earlier launches of the graph have left.
cudaError_t free_left_over(const Graph& graph, cudaStream_t stream, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  for (const auto& node : graph.nodes()) {
    const auto* const one = std::get_if<AllocationWork>(&node->work);
    if (one == nullptr || !reserved()[one->pointer].is_live) continue;
    if (const cudaError_t error = free_in_stream(one->pointer, stream, call); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t run_steps(ExecutableGraph& graph, cudaStream_t stream, const Call& call) {
  static std::atomic<std::uint64_t> launches = 0;
  const std::uint64_t number = ++launches;
  std::vector<cudaStream_t> branches = branches_of(stream, graph.ends.size());
  branches.insert(branches.begin(), stream);
  const std::size_t start = graph.steps.size();
  cudaError_t error = graph.ends.empty() ? cudaSuccess : record(event_of(graph, start), stream, call);
  for (std::size_t i = 0; i < graph.steps.size() && error == cudaSuccess; ++i) {
    const PlanStep& step = graph.steps[i];
    const cudaStream_t branch = branches[step.branch];
    if (step.begins) error = wait(branch, event_of(graph, start), call);
    for (const std::size_t one : step.waits) {
      if (error == cudaSuccess) error = wait(branch, event_of(graph, one), call);
    }
    const Call own{call.name, step.node->at, number};
    if (error == cudaSuccess) error = std::visit([&](const auto& work) { return perform(work, branch, own); }, step.node->work);
    if (error == cudaSuccess && step.is_waited_for) error = record(event_of(graph, i), branch, call);
  }
  for (const std::size_t one : graph.ends) {
    if (error == cudaSuccess) error = wait(stream, event_of(graph, one), call);
  }
  return error;
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

cudaError_t alloc_work(std::size_t bytes, void** pointer, Work& work, const Call& call) {
  if (bytes == 0) return refuse(call);
  const json asked = {{"bytes", bytes}, {"kind", "device"}, {"reserved", true}};
  if (const cudaError_t error = request("allocate", call, asked, "address", *pointer); error != cudaSuccess) return error;
  reserved()[*pointer].bytes = bytes;
  work = AllocationWork{*pointer};
  return cudaSuccess;
}

cudaError_t free_work(void* pointer, const Graph& graph, Work& work, const Call& call) {
  const auto frees_it = [&](const auto& node) {
    const auto* const one = std::get_if<FreeWork>(&node->work);
    return one != nullptr && one->pointer == pointer;
  };
  if (std::ranges::any_of(graph.nodes(), frees_it) || !reserved().contains(pointer)) return refuse(call);
  work = FreeWork{pointer};
  return cudaSuccess;
}

void note_freed_graph_memory(const void* pointer) {
  const std::lock_guard lock(graphs_mutex());
  if (const auto found = reserved().find(pointer); found != reserved().end()) found->second.is_live = false;
}

ExecutableGraph* executable_of(cudaGraphExec_t handle) {
  const auto found = executables().find(handle);
  return found == executables().end() ? nullptr : found->second.get();
}

// A step goes on with the first branch whose last step comes before it.
cudaGraphExec_t make_executable(const Graph& graph, unsigned long long flags) {
  auto made = std::make_unique<ExecutableGraph>(ExecutableGraph{graph.clone(), {}, {}, flags});
  const std::vector<const GraphNode*> order = made->graph->in_order();
  if (order.size() != graph.nodes().size()) return nullptr;
  std::vector<std::vector<bool>> is_earlier(order.size(), std::vector<bool>(order.size()));  // for each step, which steps come before it
  std::unordered_map<const GraphNode*, std::size_t> places;
  std::vector<std::size_t> last;  // step of each branch
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    for (const GraphNode* const before : order[i]->before) {
      const std::size_t one = places[before];
      is_earlier[i][one] = true;
      for (std::size_t k = 0; k < one; ++k) is_earlier[i][k] = is_earlier[i][k] || is_earlier[one][k];
    }
    const auto branch =
        static_cast<std::size_t>(std::ranges::find_if(last, [&](std::size_t one) { return is_earlier[i][one]; }) - last.begin());
    PlanStep& step = made->steps.emplace_back(PlanStep{.node = order[i], .branch = branch, .begins = branch == last.size() && branch != 0});
    for (const GraphNode* const before : order[i]->before) {
      const std::size_t one = places[before];
      if (made->steps[one].branch == branch) continue;
      step.waits.push_back(one);
      made->steps[one].is_waited_for = true;
    }
    if (branch == last.size()) last.push_back(i);
    last[branch] = i;
  }
  for (std::size_t branch = 1; branch < last.size(); ++branch) {
    made->ends.push_back(last[branch]);
    made->steps[last[branch]].is_waited_for = true;
  }
  made->events.resize(made->steps.size() + 2);
  const auto handle = reinterpret_cast<cudaGraphExec_t>(made.get());
  executables()[handle] = std::move(made);
  return handle;
}

bool drop_executable(cudaGraphExec_t handle) {
  const auto found = executables().find(handle);
  if (found == executables().end()) return false;
  for (const cudaEvent_t event : found->second->events) {
    if (event != nullptr) (void)request("event", {}, {{"what", "destroy"}, {"event", number_of(event)}});
  }
  executables().erase(found);
  return true;
}

// Launches of one graph follow each other.
cudaError_t launch_graph(ExecutableGraph& one, cudaStream_t stream, const Call& call) {
  const bool is_first = one.events.back() == nullptr;
  const cudaEvent_t ended = event_of(one, one.events.size() - 1);
  cudaError_t error = is_first ? cudaSuccess : wait(stream, ended, call);
  if (error == cudaSuccess && (one.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) error = free_left_over(*one.graph, stream, call);
  if (error == cudaSuccess) error = run_steps(one, stream, call);
  return error == cudaSuccess ? record(ended, stream, call) : error;
}

}  // namespace tilelab_host
