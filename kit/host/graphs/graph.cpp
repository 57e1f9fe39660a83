// Implements graph.hpp, but for what graph_launch.cpp has.
#include "host/graphs/graph.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "host/library/host_session.hpp"
#include "host/runtime_graphs.hpp"

using namespace tilelab_host;

namespace tilelab_host {
namespace {

constexpr std::array types_of_work = {cudaGraphNodeTypeEmpty,    cudaGraphNodeTypeKernel,  cudaGraphNodeTypeMemcpy,
                                      cudaGraphNodeTypeMemset,   cudaGraphNodeTypeHost,    cudaGraphNodeTypeGraph,
                                      cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional};
static_assert(types_of_work.size() == std::variant_size_v<Work>);

}  // namespace

cudaGraphNodeType type_of(const Work& work) { return types_of_work[work.index()]; }

Work copy_of(const Work& work) {
  Work copy = work;
  for (std::shared_ptr<Graph>& graph : graphs_in(copy)) graph = graph->clone();
  if (auto* const conditional = std::get_if<ConditionalWork>(&copy))
    std::ranges::transform(conditional->graphs, conditional->handles.begin(), [](const auto& body) { return handle_of(*body); });
  return copy;
}

cudaError_t kernel_work(const cudaKernelNodeParams* params, Work& work, const Call& call) {
  if (!params || !params->func || params->extra) return refuse(call);
  KernelFacts facts;
  if (const cudaError_t error = find_kernel(params->func, facts, call); error != cudaSuccess) return error;
  KernelWork made{params->func, facts.name, {params->gridDim, params->blockDim, params->sharedMemBytes}, {}};
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < facts.sizes.size(); ++i) {
    if (!params->kernelParams || !params->kernelParams[i]) return refuse(call);
    const auto* const first = static_cast<const unsigned char*>(params->kernelParams[i]);
    made.values.emplace_back(first, first + facts.sizes[i]);
    parameters.push_back({params->kernelParams[i], facts.sizes[i]});
  }
  const cudaError_t error = request_launch(made.name, made.shape, parameters, call.planned());
  if (error == cudaSuccess) work = std::move(made);
  return error;
}

cudaMemcpy3DParms copy_params(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows,
                              std::size_t row_bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params{};
  params.dstPtr = make_cudaPitchedPtr(to, to_pitch, row_bytes, rows);
  params.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), from_pitch, row_bytes, rows);
  params.extent = make_cudaExtent(row_bytes, rows, 1);
  params.kind = kind;
  return params;
}

cudaError_t copy_work(const cudaMemcpy3DParms* params, Work& work, const Call& call) {
  if (!params) return refuse(call);
  const cudaError_t error = copy_slices(*params, {params->kind, nullptr, true}, call.planned());
  if (error == cudaSuccess) work = *params;
  return error;
}

cudaError_t copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Work& work, const Call& call) {
  const cudaMemcpy3DParms params = copy_params(to, bytes, from, bytes, 1, bytes, kind);
  return copy_work(&params, work, call);
}

cudaError_t fill_work(const cudaMemsetParams* params, Work& work, const Call& call) {
  if (!params) return refuse(call);
  const unsigned int width = params->elementSize;
  std::size_t row_bytes = 0;
  if ((width != 1 && width != 2 && width != 4) || __builtin_mul_overflow(params->width, width, &row_bytes)) return refuse(call);
  const cudaError_t error = fill_rows(*params, {cudaMemcpyDefault, nullptr, true}, call.planned());
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

void Graph::remove(GraphNode& node) {
  for (GraphNode* const one : node.before) std::erase(one->after, &node);
  for (GraphNode* const one : node.after) std::erase(one->before, &node);
  known_graphs().nodes.erase(&node);
  std::erase_if(nodes_, [&](const auto& one) { return one.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone() const {
  const std::shared_ptr<Graph> copy = create();
  copy->conditions = conditions;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes_) {
    GraphNode& made = copy->add(tilelab_host::copy_of(node->work), {}, node->at);
    made.original = node->id;
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
    for (const auto& graph : graphs_in(std::as_const(node->work))) {
      if (GraphNode* const inner = graph->copy_of(original)) return inner;
    }
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

Graph* graph_of(cudaGraph_t handle) { return known_graphs().graphs.contains(handle) ? reinterpret_cast<Graph*>(handle) : nullptr; }

GraphNode* node_of(cudaGraphNode_t handle) {
  return known_graphs().nodes.contains(handle) ? reinterpret_cast<GraphNode*>(handle) : nullptr;
}

void keep_graph(std::shared_ptr<Graph> graph) {
  graph->is_programs_own = true;
  known_graphs().programs_own.push_back(std::move(graph));
}

bool drop_graph(Graph& graph) {
  return std::erase_if(known_graphs().programs_own, [&](const auto& one) { return one.get() == &graph; }) != 0;
}

}  // namespace tilelab_host

namespace {

constexpr unsigned int most_bodies = 4096;

std::set<cudaGraphConditionalHandle>& handles() {
  static auto* const all = new std::set<cudaGraphConditionalHandle>;  // never destroyed, as the graphs are not
  return *all;
}

}  // namespace

cudaError_t tilelab_host::conditional_work(cudaConditionalNodeParams* params, Work& work, const Call& call) {
  const unsigned int most = params->type == cudaGraphCondTypeIf ? 2 : params->type == cudaGraphCondTypeWhile ? 1 : most_bodies;
  if (params->type < cudaGraphCondTypeIf || params->type > cudaGraphCondTypeSwitch) return refuse(call);
  if (!handles().contains(params->handle) || params->size == 0 || params->size > most) return refuse(call);
  ConditionalWork made{{}, params->handle, params->type};
  for (unsigned int i = 0; i < params->size; ++i) made.handles.push_back(handle_of(*made.graphs.emplace_back(Graph::create())));
  params->phGraph_out = made.handles.data();  // stays where it is: the vector is moved, not copied
  work = std::move(made);
  return cudaSuccess;
}

cudaError_t tilelab_host::assign_conditions(const Graph& graph, cudaStream_t stream, const Call& call) {
  for (const Graph::Condition& one : graph.conditions) {
    if (!one.is_assigned) continue;
    const cudaMemsetParams what{reinterpret_cast<void*>(one.handle), 4, one.value, 4, 1, 1};
    if (const cudaError_t error = fill_rows(what, {cudaMemcpyDefault, stream, true}, call); error != cudaSuccess) return error;
  }
  for (const auto& node : graph.nodes()) {
    for (const auto& inner : graphs_in(std::as_const(node->work))) {
      if (const cudaError_t error = assign_conditions(*inner, stream, call); error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

cudaError_t tilelab_host::read_condition(cudaGraphConditionalHandle handle, cudaStream_t stream, const Call& call, unsigned int& value) {
  const auto* const from = reinterpret_cast<const void*>(handle);
  return copy_rows(&value, sizeof value, from, sizeof value, 1, sizeof value, {cudaMemcpyDeviceToHost, stream, true}, call);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags) {
  const Call call = TILELAB_CALL;
  const std::lock_guard lock(graphs_mutex());
  Graph* const one = graph_of(graph);
  if (!handle || !one || flags > cudaGraphCondAssignDefault) return refuse(call);
  const json asked = {{"bytes", sizeof(unsigned int)}, {"kind", "device"}, {"hidden", true}};
  if (const cudaError_t error = request("allocate", call, asked, "address", *handle); error != cudaSuccess) return error;
  handles().insert(*handle);
  one->conditions.push_back({*handle, value, flags == cudaGraphCondAssignDefault});
  return cudaSuccess;
}

namespace tilelab_host {
namespace {

using Places = std::vector<std::size_t>;

// A step and what it comes after, before branches are known.
struct Loose {
  GraphNode* node;
  Places before;
};

// Adds the graph's nodes. `before`: of nodes without edges to them. `ends`: the steps that nothing in the graph comes after.
bool flatten(const Graph& graph, const Places& before, std::vector<Loose>& steps, Places& ends) {
  const std::vector<GraphNode*> order = graph.in_order();
  if (order.size() != graph.nodes().size()) return false;
  std::unordered_map<const GraphNode*, Places> done;  // the steps that a node has ended with
  for (GraphNode* const node : order) {
    Places own = before;
    if (!node->before.empty()) own.clear();
    for (const GraphNode* const one : node->before) own.insert(own.end(), done[one].begin(), done[one].end());
    const auto* const child = std::get_if<ChildWork>(&node->work);
    steps.push_back({child != nullptr ? nullptr : node, own});
    Places& end = done[node];
    end = {steps.size() - 1};
    if (child != nullptr && !child->graphs[0]->nodes().empty()) {
      const Places start = end;
      end.clear();
      if (!flatten(*child->graphs[0], start, steps, end)) return false;
    }
  }
  for (const GraphNode* const node : order) {
    if (node->after.empty()) ends.insert(ends.end(), done[node].begin(), done[node].end());
  }
  return true;
}

// For each step, which steps come before it.
class Earlier {
 public:
  explicit Earlier(const std::vector<Loose>& steps) : rows_(steps.size(), std::vector<bool>(steps.size())) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const std::size_t one : steps[i].before) {
        rows_[i][one] = true;
        for (std::size_t k = 0; k < one; ++k) rows_[i][k] = rows_[i][k] || rows_[one][k];
      }
    }
  }
  bool has(std::size_t step, std::size_t earlier) const { return rows_[step][earlier]; }

 private:
  std::vector<std::vector<bool>> rows_;
};

}  // namespace

std::optional<GraphPlan> plan_of(const Graph& graph) {
  std::vector<Loose> loose;
  Places ends;
  if (!flatten(graph, {}, loose, ends)) return std::nullopt;
  const Earlier earlier(loose);
  GraphPlan plan;
  Places last;  // step of each branch
  for (std::size_t i = 0; i < loose.size(); ++i) {
    PlanStep step;
    step.node = loose[i].node;
    std::size_t branch = 0;
    while (branch < last.size() && !earlier.has(i, last[branch])) ++branch;
    step.branch = branch;
    step.begins = branch == last.size() && branch != 0;
    for (const std::size_t one : loose[i].before) {
      if (plan.steps[one].branch == branch) continue;
      step.waits.push_back(one);
      plan.steps[one].is_waited_for = true;
    }
    if (branch == last.size()) last.push_back(i);
    last[branch] = i;
    if (const auto* const conditional = step.node != nullptr ? std::get_if<ConditionalWork>(&step.node->work) : nullptr) {
      for (const auto& body : conditional->graphs) {
        auto planned = plan_of(*body);
        if (!planned) return std::nullopt;
        step.bodies.push_back(std::move(*planned));
      }
    }
    plan.steps.push_back(std::move(step));
  }
  plan.branches = std::max<std::size_t>(last.size(), 1);
  for (std::size_t branch = 1; branch < last.size(); ++branch) {
    plan.ends.push_back(last[branch]);
    plan.steps[last[branch]].is_waited_for = true;
  }
  return plan;
}

}  // namespace tilelab_host
