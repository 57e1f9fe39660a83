// threadIdx, blockIdx, blockDim and gridDim: plain variables that the submission reads and the machine sets.
#pragma once

#include <cstdint>
#include <utility>

#include "simt/event.hpp"

namespace tilelab::simt {

void set_launch_variables(const Index3& grid, const Index3& block);
void set_block_index(const Index3& index);
void set_thread_index(const Index3& index);
// Their addresses: [first, end).
std::pair<std::uintptr_t, std::uintptr_t> builtin_variables();

}  // namespace tilelab::simt
