// Pools that memory in the order of a stream comes from: how much of each is used, and how much it keeps for later.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_api/runtime_memory.hpp"

namespace tilelab_host {

// From the device's pool where `pool` is null. In a captured stream it becomes a node.
cudaError_t allocate_from_pool(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream, const char* call,
                               std::uintptr_t at);
cudaError_t free_to_pool(void* pointer, cudaStream_t stream, const char* call, std::uintptr_t at);
// Freed in another way, by cudaFree.
void note_freed_pool_memory(const void* pointer);
// The host has waited: pools keep no more than their thresholds say.
void pools_after_wait();

}  // namespace tilelab_host
