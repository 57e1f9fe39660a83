// Grids that a kernel launches. CUDA lets a child begin at any time between its launch and the end of the launching grid, which does
// not end before its children have. Here the children run when every block of the launching grid has ended. That is one of CUDA's
// orders, because no thread can wait for what it has launched.
//
// Of one block, what is launched into one stream runs in that order; what is launched into cudaStreamFireAndForget or by different
// blocks is not ordered; cudaStreamTailLaunch comes after all of that. Blocks of children are numbered on from those of their parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

struct ChildGrid {
  // What a kernel says between <<< and >>>.
  struct Configuration {
    Index3 grid, block;
    std::uint64_t shared_bytes = 0, stream = 0;
  };
  static constexpr std::uint64_t tail_stream = 3, detached_stream = 4;  // CUDA's own numbers for these two
  static constexpr std::uint64_t first_own_stream = 0x100;              // of those that kernels make

  Configuration configuration;
  std::uintptr_t run = 0;             // a function of the submission, which calls the kernel with what is recorded
  std::vector<unsigned char> record;  // copies of the arguments
  ChildLaunch launch;
  std::uint32_t depth = 0;  // how many launches led to it

  bool is_tail() const { return configuration.stream == tail_stream; }
  // Launches of one block into one stream, in the order in which they were made.
  auto stream_of_block() const { return std::tuple(launch.by.block, configuration.stream, is_detached() ? launch.number : 0); }
  auto order() const { return std::tuple(launch.interval, launch.warp_interval, launch.by.thread, launch.number); }

 private:
  bool is_detached() const { return configuration.stream == detached_stream; }
};

// What has been launched and has not begun, and the grids of the launch so far.
struct ChildGrids {
  static constexpr std::uint32_t deepest = 24;       // as CUDA's
  static constexpr std::size_t most_pending = 2048;  // as CUDA keeps if a program does not ask for more

  std::vector<ChildGrid> pending;
  std::vector<GridEvent> begun;  // children, in the order of their first blocks
  std::uint64_t next_block = 0;
  std::uint32_t depth = 0;                                         // of the running grid
  std::uint32_t launches = 0, streams = 0;                         // so far
  std::map<std::tuple<std::uint64_t, std::uint32_t>, int> errors;  // of a thread's last launch that failed, by block and thread
  std::size_t waiting = 0;                                         // launched and not begun
};

}  // namespace tilelab::simt
