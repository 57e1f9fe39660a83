// Implements graph_memory.hpp.
#include "host_api/graphs/graph_memory.hpp"

#include <algorithm>
#include <map>

#include "host_api/library/host_session.hpp"

namespace tilelab_host {
namespace {

struct Reserved {
  std::size_t bytes = 0;
  std::size_t chunk = 0;  // of the device's memory, that it has while it is alive
  bool is_live = false;
};
struct FreeChunk {
  std::size_t bytes = 0;
  cudaStream_t stream = nullptr;  // in which it was freed
};
// Never destroyed, as the graphs are not. Guarded by graphs_mutex().
struct Table {
  std::map<const void*, Reserved> reserved;
  std::vector<FreeChunk> free;
  GraphMemory sums;
};
Table& table() {
  static Table* const made = new Table;
  return *made;
}

void take_chunk(Reserved& one, cudaStream_t stream) {
  auto& [all, free, sums] = table();
  const auto fits = [&](const FreeChunk& chunk) { return chunk.stream == stream && chunk.bytes >= one.bytes; };
  const auto found = std::ranges::find_if(free, fits);
  one.is_live = true;
  one.chunk = found == free.end() ? one.bytes : found->bytes;
  if (found != free.end()) {
    free.erase(found);
    return;
  }
  sums.used += one.chunk;
  sums.reserved = sums.used;
  sums.used_high = std::max(sums.used_high, sums.used);
  sums.reserved_high = std::max(sums.reserved_high, sums.reserved);
}

void leave_chunk(Reserved& one, cudaStream_t stream) {
  one.is_live = false;
  table().free.push_back({one.chunk, stream});
}

template <typename Kind, typename Visit>
void for_each_work(const Graph& graph, const Visit& visit) {
  for (const auto& node : graph.nodes()) {
    if (const auto* const work = std::get_if<Kind>(&node->work)) visit(*work);
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) for_each_work<Kind>(*child->graph, visit);
  }
}

}  // namespace

cudaError_t alloc_work(cudaMemAllocNodeParams* params, Work& work, const char* call, std::uintptr_t at) {
  if (!params || params->bytesize == 0) return refuse(call, at);
  const cudaMemLocation& place = params->poolProps.location;
  if (params->poolProps.allocType != cudaMemAllocationTypePinned || place.type != cudaMemLocationTypeDevice) return refuse(call, at);
  if (place.id != 0) return refuse(call, at, cudaErrorInvalidDevice);
  const Reply reply =
      Session::open().ask({{"op", "allocate"}, {"bytes", params->bytesize}, {"kind", "device"}, {"reserved", true}, {"at", at}});
  if (reply.error() != cudaSuccess) return reply.error();
  params->dptr = reinterpret_cast<void*>(reply.fields.value("address", std::uintptr_t{0}));
  table().reserved[params->dptr].bytes = params->bytesize;
  AllocWork made{*params};
  made.what.accessDescs = nullptr;
  made.what.accessDescCount = 0;
  work = made;
  return cudaSuccess;
}

cudaError_t free_work(void* pointer, const Graph& graph, Work& work, const char* call, std::uintptr_t at) {
  bool is_freed_twice = false;
  for_each_work<FreeWork>(graph, [&](const FreeWork& one) { is_freed_twice |= one.pointer == pointer; });
  if (is_freed_twice || !is_of_graph(pointer)) return refuse(call, at);
  work = FreeWork{pointer};
  return cudaSuccess;
}

bool is_of_graph(const void* pointer) { return table().reserved.contains(pointer); }

bool has_memory_nodes(const Graph& graph) {
  bool has = false;
  for_each_work<AllocWork>(graph, [&](const AllocWork&) { has = true; });
  for_each_work<FreeWork>(graph, [&](const FreeWork&) { has = true; });
  return has;
}

cudaError_t allocate_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at) {
  const std::lock_guard lock(graphs_mutex());
  Reserved& one = table().reserved[pointer];
  const cudaError_t error = Session::open().call({{"op", "allocate"},
                                                  {"bytes", one.bytes},
                                                  {"kind", "device"},
                                                  {"address", number_of(pointer)},
                                                  {"stream", number_of(stream)},
                                                  {"graph", launch},
                                                  {"at", at}});
  if (error == cudaSuccess) take_chunk(one, launched_in);
  return error;
}

cudaError_t free_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, std::uint64_t launch, std::uintptr_t at) {
  const std::lock_guard lock(graphs_mutex());
  const cudaError_t error = Session::open().call({{"op", "free"},
                                                  {"address", number_of(pointer)},
                                                  {"kind", "device"},
                                                  {"async", true},
                                                  {"stream", number_of(stream)},
                                                  {"graph", launch},
                                                  {"at", at}});
  if (error == cudaSuccess) note_freed_graph_memory(pointer, launched_in);
  return error;
}

cudaError_t free_left_over(const Graph& graph, cudaStream_t stream, std::uintptr_t at) {
  cudaError_t error = cudaSuccess;
  for_each_work<AllocWork>(graph, [&](const AllocWork& one) {
    const std::lock_guard lock(graphs_mutex());
    if (error == cudaSuccess && table().reserved[one.what.dptr].is_live) error = free_for_graph(one.what.dptr, stream, stream, 0, at);
  });
  return error;
}

bool note_freed_graph_memory(const void* pointer, cudaStream_t stream) {
  const std::lock_guard lock(graphs_mutex());
  const auto found = table().reserved.find(pointer);
  if (found == table().reserved.end()) return false;
  if (found->second.is_live) leave_chunk(found->second, stream);
  return true;
}

GraphMemory graph_memory() {
  const std::lock_guard lock(graphs_mutex());
  return table().sums;
}

void trim_graph_memory() {
  const std::lock_guard lock(graphs_mutex());
  auto& [all, free, sums] = table();
  for (const FreeChunk& one : free) sums.used -= one.bytes;
  sums.reserved = sums.used;
  free.clear();
}

void forget_graph_memory_peaks(bool of_used) {
  const std::lock_guard lock(graphs_mutex());
  GraphMemory& sums = table().sums;
  (of_used ? sums.used_high : sums.reserved_high) = of_used ? sums.used : sums.reserved;
}

}  // namespace tilelab_host
