// Implements graph_conditions.hpp.
#include "host_api/graphs/graph_conditions.hpp"

#include <set>

#include "host_api/library/host_session.hpp"
#include "host_api/library/row_copies.hpp"
#include "host_api/runtime_graphs.hpp"

using namespace tilelab_host;

namespace {

constexpr unsigned int most_bodies = 4096;

std::set<cudaGraphConditionalHandle>& handles() {
  static auto* const all = new std::set<cudaGraphConditionalHandle>;  // never destroyed, as the graphs are not
  return *all;
}

}  // namespace

cudaError_t tilelab_host::conditional_work(cudaConditionalNodeParams* params, Work& work, const char* call, std::uintptr_t at) {
  const unsigned int most = params->type == cudaGraphCondTypeIf ? 2 : params->type == cudaGraphCondTypeWhile ? 1 : most_bodies;
  if (params->type < cudaGraphCondTypeIf || params->type > cudaGraphCondTypeSwitch) return refuse(call, at);
  if (!handles().contains(params->handle) || params->size == 0 || params->size > most) return refuse(call, at);
  ConditionalWork made{params->handle, params->type, {}};
  for (unsigned int i = 0; i < params->size; ++i) {
    made.bodies.push_back(Graph::create());
    made.handles.push_back(handle_of(*made.bodies.back()));
  }
  params->phGraph_out = made.handles.data();  // stays where it is: the vector is moved, not copied
  work = std::move(made);
  return cudaSuccess;
}

cudaError_t tilelab_host::assign_conditions(const Graph& graph, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at) {
  for (const Graph::Condition& one : graph.conditions) {
    if (!one.is_assigned) continue;
    const cudaMemsetParams what{reinterpret_cast<void*>(one.handle), 4, one.value, 4, 1, 1};
    CopyOrder order{cudaMemcpyDefault, stream, true};
    order.graph = launch;
    if (const cudaError_t error = fill_rows(what, order, at); error != cudaSuccess) return error;
  }
  for (const auto& node : graph.nodes()) {
    cudaError_t error = cudaSuccess;
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) error = assign_conditions(*child->graph, stream, launch, at);
    if (const auto* const conditional = std::get_if<ConditionalWork>(&node->work)) {
      for (const auto& body : conditional->bodies) {
        if (error == cudaSuccess) error = assign_conditions(*body, stream, launch, at);
      }
    }
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t tilelab_host::read_condition(cudaGraphConditionalHandle handle, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at,
                                         unsigned int& value) {
  CopyOrder order{cudaMemcpyDeviceToHost, stream, true};
  order.graph = launch;
  return copy_rows(&value, sizeof value, reinterpret_cast<const void*>(handle), sizeof value, 1, sizeof value, order, at);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags) {
  constexpr const char* call = "cudaGraphConditionalHandleCreate";
  const std::lock_guard lock(graphs_mutex());
  Graph* const one = graph_of(graph);
  if (!handle || !one || flags > cudaGraphCondAssignDefault) return refuse(call, TILELAB_AT);
  const Reply reply =
      Session::open().ask({{"op", "allocate"}, {"bytes", sizeof(unsigned int)}, {"kind", "device"}, {"hidden", true}, {"at", TILELAB_AT}});
  if (reply.error() != cudaSuccess) return reply.error();
  *handle = reply.fields.value("address", cudaGraphConditionalHandle{0});
  handles().insert(*handle);
  one->conditions.push_back({*handle, value, flags == cudaGraphCondAssignDefault});
  return cudaSuccess;
}
