// How many blocks a large GPU holds at once. The executor does not depend on it: it says which grids no GPU can run if all their
// blocks must run together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simt/event.hpp"

namespace tilelab::simt {

// The multiprocessors of the largest GPUs of 2025 (148), with some room. What fits into one of them: CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability", at 9.0 and 10.0. Registers may allow fewer.
inline constexpr std::uint64_t most_multiprocessors = 160;

inline std::uint64_t most_resident_blocks(const LaunchEvent& launch) {
  constexpr std::uint64_t threads_at_once = 2048, blocks_at_once = 32;
  constexpr std::size_t shared_bytes = 228 * 1024, reserved_of_a_block = 1024;
  const std::uint64_t threads = (std::uint64_t{launch.block.x} * launch.block.y * launch.block.z + 31) / 32 * 32;
  const std::size_t shared = launch.static_shared_bytes + launch.dynamic_shared_bytes + reserved_of_a_block;
  const std::uint64_t of_one = std::min({blocks_at_once, threads_at_once / threads, std::uint64_t{shared_bytes / shared}});
  return most_multiprocessors * std::max<std::uint64_t>(of_one, 1);
}

}  // namespace tilelab::simt
