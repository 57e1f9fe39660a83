// What CUDA refuses to launch, and too little memory, in words.
#include "runner/launch.hpp"

#include <sys/resource.h>

#include <cstdint>
#include <tuple>

#include "executor/scheduler/block_order.hpp"

namespace tilelab {
namespace {

// CUDA's limits (Programming Guide, "Technical Specifications per Compute Capability").
constexpr unsigned max_threads = 1024, max_block_xy = 1024, max_block_z = 64;
constexpr std::uint64_t max_grid_x = 2147483647, max_grid_yz = 65535;

std::string extent_text(const protocol::Extent& e) {
  return "(" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + ")";
}

}  // namespace

std::string launch_refusal(const protocol::LaunchConfig& config, std::size_t static_shared_bytes, std::size_t shared_limit) {
  const auto& [grid, block, shared] = config;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return "The grid is " + extent_text(grid) + ": every dimension must be at least 1.";
  if (block.x == 0 || block.y == 0 || block.z == 0) return "The block is " + extent_text(block) + ": every dimension must be at least 1.";
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (block.x > max_block_xy || block.y > max_block_xy || block.z > max_block_z || threads > max_threads) {
    return "The block is " + extent_text(block) + ": a block may have at most 1024 threads, and at most 64 in z.";
  }
  for (const auto& [side, blocks, most] : {std::tuple("x", grid.x, max_grid_x), {"y", grid.y, max_grid_yz}, {"z", grid.z, max_grid_yz}}) {
    if (blocks > most)
      return std::string("gridDim.") + side + " is " + std::to_string(blocks) + ", and " + std::to_string(most) + " is the most.";
  }
  if (shared > shared_limit || static_shared_bytes > shared_limit - shared) {
    return "A block asks for " + std::to_string(static_shared_bytes) + " + " + std::to_string(shared) +
           " bytes of static and dynamic shared memory, and " + std::to_string(shared_limit) + " is the most" +
           (shared_limit == most_shared_bytes ? " unless cudaFuncSetAttribute() allows more." : ".");
  }
  return {};
}

const std::string& no_memory_words() {
  static const std::string words = [] {
    rlimit most{};
    const bool is_limited = getrlimit(RLIMIT_DATA, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
    const std::string bytes =
        is_limited ? "the " + std::to_string(most.rlim_cur >> 20) + " MiB that the CPU executor may use" : "there is here";
    return no_memory + bytes + ": it remembers for each word who used it. It can only be graded on a GPU.";
  }();
  return words;
}

protocol::LaunchReply no_memory_reply() {
  protocol::LaunchReply reply = plain_reply(protocol::Status::timeout, no_memory_words());
  reply.findings.push_back(protocol::error_finding("needs-gpu", reply.detail));
  return reply;
}

std::string cooperative_refusal(const protocol::LaunchConfig& config, std::size_t static_shared_bytes) {
  const std::uint64_t blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  const std::uint64_t most = simt::most_resident_blocks({.grid = config.grid,
                                                         .block = config.block,
                                                         .static_shared_bytes = static_shared_bytes,
                                                         .dynamic_shared_bytes = config.shared_bytes});
  if (blocks <= most) return {};
  return "The grid has " + std::to_string(blocks) + " blocks. A cooperative launch needs all of them on the GPU at the same time, and of " +
         "blocks of this size even the largest GPU holds no more than " + std::to_string(most) + ".";
}

}  // namespace tilelab
