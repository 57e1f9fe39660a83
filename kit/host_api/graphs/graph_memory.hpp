// Memory that nodes of graphs allocate: an address for each node, which the memory has whenever the node has run. And how much of the
// device's memory graphs hold: what is freed stays with them, for the next allocation in the same stream, until it is trimmed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_api/graphs/graph.hpp"

namespace tilelab_host {

// On success the parameters have the address.
cudaError_t alloc_work(cudaMemAllocNodeParams* params, Work& work, const char* call, std::uintptr_t at);
// `graph`: where the node will be. Freeing twice, or what no graph allocates, is an error.
cudaError_t free_work(void* pointer, const Graph& graph, Work& work, const char* call, std::uintptr_t at);
bool is_of_graph(const void* pointer);
bool has_memory_nodes(const Graph& graph);

// A node's turn: `launched_in` is the stream of the graph, `stream` the branch, `launch` the number of the graph's launch.
cudaError_t allocate_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at);
cudaError_t free_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at);
// Frees what earlier launches of the graph have left.
cudaError_t free_left_over(const Graph& graph, cudaStream_t stream, std::uintptr_t at);
// The program has freed it in another way. False: it is no graph's.
bool note_freed_graph_memory(const void* pointer, cudaStream_t stream);

struct GraphMemory {
  std::size_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;  // bytes
};
GraphMemory graph_memory();
void trim_graph_memory();
void forget_graph_memory_peaks(bool of_used);

}  // namespace tilelab_host
