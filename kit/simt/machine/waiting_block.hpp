// A block that waits for other blocks while they run: its threads, what its shared memory holds, and what it polls. It decides
// nothing: the machine runs the other blocks, and takes this one up again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/machine/spin_watch.hpp"
#include "simt/memory/local_memory.hpp"
#include "simt/memory/memory_map.hpp"
#include "simt/scheduler/block_scheduler.hpp"
#include "simt/scheduler/phase_barriers.hpp"

namespace tilelab::simt {

// Where a thread waits for another block.
struct Wait {
  std::uintptr_t pc = 0;
  ThreadRef by;
};

struct WaitingBlock {
  BlockScheduler::Away threads;
  BlockScheduler::Turn why = BlockScheduler::Turn::polls;
  Wait at;
  std::vector<std::uint32_t> order;  // of its threads
  std::vector<unsigned char> shared;
  SpinWatch::Block spins;
  PhaseBarriers phases;
  LocalMemory::Block locals;
  bool is_free = false;  // every block has arrived at the grid's barrier, or it was only held
  bool had_last_chance = false;
  bool waits_for_later = false;  // every block before it has ended

  bool can_go_on(const MemoryMap& memory) const { return is_free || (why == BlockScheduler::Turn::polls && spins.has_news(memory)); }
  std::size_t bytes() const { return threads.bytes() + shared.size(); }
};

// What the running block's shared memory holds, with the compiler's flags in it; and the way back.
std::vector<unsigned char> shared_content(const MemoryMap& memory);
void restore_shared(const MemoryMap& memory, const std::vector<unsigned char>& content);

}  // namespace tilelab::simt
