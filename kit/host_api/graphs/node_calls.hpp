// What the functions for nodes and those for nodes of executable graphs share: parameters of any kind of node.
#pragma once

#include "host_api/graphs/graph.hpp"

namespace tilelab_host {

// For cudaGraphAddNode and its kin. What CUDA writes into the parameters (an address, graphs) is written.
cudaError_t any_work(cudaGraphNodeParams* params, Graph& graph, Work& work, const char* call, std::uintptr_t at);
cudaError_t event_work(cudaEvent_t event, bool records, Work& work, const char* call, std::uintptr_t at);

// The node does something else from now on, of the same kind.
cudaError_t set_work(GraphNode* node, Work work, const char* call, std::uintptr_t at);

}  // namespace tilelab_host
