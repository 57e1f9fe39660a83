// Conditions of graphs: four bytes of the device's memory each, which kernels write and a node reads when its turn comes.
#pragma once

#include <cstdint>

#include "host_api/graphs/graph.hpp"

namespace tilelab_host {

// On success the parameters have the graphs that the node runs.
cudaError_t conditional_work(cudaConditionalNodeParams* params, Work& work, const char* call, std::uintptr_t at);

// A launch begins: the conditions of the graph, and of graphs in it, that have a value then.
cudaError_t assign_conditions(const Graph& graph, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at);
// What the kernels before the node have said.
cudaError_t read_condition(cudaGraphConditionalHandle handle, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at,
                           unsigned int& value);

}  // namespace tilelab_host
