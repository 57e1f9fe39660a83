// What the machine keeps of a block: what its threads poll, its phase barriers, and, while it waits for other blocks, all that is put
// aside. And of grids that kernels launch. It decides nothing: the machine lets other threads run, ends the launch, or takes a block up
// again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/local_memory.hpp"
#include "executor/memory/memory_map.hpp"
#include "executor/scheduler/block_scheduler.hpp"

namespace tilelab::simt {

// Distinguishes a thread that waits for another thread from one that works. A waiting thread polls one place with volatile or
// atomic accesses, finds the same bytes each time, and does nothing else that differs from one iteration to the next.
class SpinWatch {
  static constexpr std::uint32_t polls_of_a_wait = 64;

  struct Spin {
    std::uintptr_t address = 0;
    std::uint64_t content = 0, trail = 0, others = 0;
    std::uint32_t polls = 0, same = 0, still = 0;
    std::uint8_t bytes = 0;
  };

 public:
  // Of a block that waits for others: a place in global memory that one of its threads polls holds something else now.
  bool has_news(const MemoryMap& memory) const {
    return std::any_of(spins_.begin(), spins_.end(), [&memory](const Spin& spin) {
      return spin.polls >= polls_of_a_wait && !memory.in_shared_span(spin.address) && content_of(spin.address, spin.bytes) != spin.content;
    });
  }
  // The block begins to wait, and goes on.
  void wait() {
    for (Spin& spin : spins_) {
      if (spin.polls >= polls_of_a_wait) spin.content = content_of(spin.address, spin.bytes);  // it may have polled long ago
    }
  }
  void go_on() {
    for (Spin& spin : spins_) spin.still = 0;
    forget_trail();
  }
  void begin_block(std::size_t threads) { spins_.assign(threads, Spin{}); }
  // Any access. The addresses used between two polls distinguish one iteration of the loop from another.
  void note(std::uintptr_t address) { trail_ = trail_ * 31 + address; }
  // The thread has passed a barrier or a warp operation, or another thread runs now.
  void forget_trail() { trail_ = 0; }
  void moved_on(std::uint32_t thread) {
    spins_[thread] = Spin{};
    forget_trail();
  }

  // A volatile or atomic access to readable memory. `progress` changes whenever any thread starts, waits or returns.
  void poll(std::uint32_t thread, std::uintptr_t address, std::size_t size, std::uint64_t progress) {
    Spin& spin = spins_[thread];
    const std::uint64_t content = content_of(address, size);
    if (spin.address != address) spin = Spin{.address = address};
    ++spin.polls;
    spin.same = spin.content == content ? spin.same + 1 : 0;
    if (spin.content != content || spin.trail != trail_ || spin.polls == 1) ++stirs_;
    spin.content = content;
    spin.bytes = static_cast<std::uint8_t>(std::min(size, sizeof content));
    spin.trail = trail_;
    if (spin.others != progress + stirs_) {
      spin.others = progress + stirs_;
      spin.still = 0;
    }
    ++spin.still;
    trail_ = 0;
  }

  std::uintptr_t polled_by(std::uint32_t thread) const { return spins_[thread].address; }
  std::uint32_t polls(std::uint32_t thread) const { return spins_[thread].polls; }  // consecutive polls of one place
  std::uint32_t same(std::uint32_t thread) const { return spins_[thread].same; }    // those since the place held something else
  std::uint32_t still(std::uint32_t thread) const { return spins_[thread].still; }  // those since any thread did anything new

 private:
  static std::uint64_t content_of(std::uintptr_t address, std::size_t bytes) {
    std::uint64_t content = 0;
    std::memcpy(&content, reinterpret_cast<const void*>(address), std::min(bytes, sizeof content));
    return content;
  }

  std::vector<Spin> spins_;
  std::uint64_t stirs_ = 0;  // polls of any thread that differed from its previous poll
  std::uint64_t trail_ = 0;
};

struct PhaseBarrier {
  Phase phase;                             // the one in progress
  std::int64_t expected = 0, pending = 0;  // arrivals of a phase; those that this one still waits for
  std::int64_t bytes = 0;                  // of copies that this phase still waits for

  bool is_complete() const { return pending == 0 && bytes == 0; }
  void next_phase() {
    ++phase.number;
    pending = expected;
  }
};

// The phase barriers of the running block (cuda::barrier, mbarrier), by the address of the object. They count arrivals. They know
// nothing of who waits: the scheduler does.
class PhaseBarriers {
 public:
  bool none() const { return barriers_.empty(); }
  PhaseBarrier* find(std::uintptr_t address) {
    const auto found = barriers_.find(address);
    return found == barriers_.end() ? nullptr : &found->second;
  }
  // Each call makes a new barrier, also at an address that held one.
  void init(std::uintptr_t address, std::int64_t expected) {
    barriers_[address] = PhaseBarrier{.phase = {++count_, 0}, .expected = expected, .pending = expected, .bytes = 0};
  }

  // What lies in the object's eight bytes as long as nobody writes there.
  static std::uint64_t mark(std::uintptr_t address) { return address ^ 0x7F15'BA22'1E25'0B1Eu; }

 private:
  std::unordered_map<std::uintptr_t, PhaseBarrier> barriers_;
  std::uint32_t count_ = 0;
};

// Where a thread waits for another block.
struct Wait {
  std::uintptr_t pc = 0;
  ThreadRef by;
};

// A block that waits for other blocks while they run: its threads, what its shared memory holds, and what it polls.
struct WaitingBlock {
  ScheduledBlock threads;
  BlockScheduler::Turn why = BlockScheduler::Turn::polls;
  Wait at;
  std::vector<std::uint32_t> order;  // of its threads
  std::vector<unsigned char> shared;
  SpinWatch spins;
  PhaseBarriers phases;
  LocalMemory::Block locals;
  bool is_free = false;  // every block has arrived at the grid's barrier, or it was only held
  bool had_last_chance = false;
  bool waits_for_later = false;  // every block before it has ended

  bool can_go_on(const MemoryMap& memory) const { return is_free || (why == BlockScheduler::Turn::polls && spins.has_news(memory)); }
  std::size_t bytes() const { return threads.bytes() + shared.size(); }
};

// Copies of shared memory, array by array, with the compiler's flags in it: what lies between them may belong to others.
template <typename Visit>
void each_shared_range(const MemoryMap& memory, Visit visit) {
  for (const Region& array : memory.shared_arrays()) visit(array.base, array.bytes);
  for (const auto& [first, end] : memory.guards()) visit(first, end - first);
}

// What the running block's shared memory holds; and the way back.
inline std::vector<unsigned char> shared_content(const MemoryMap& memory) {
  std::vector<unsigned char> content;
  each_shared_range(memory, [&](std::uintptr_t first, std::size_t bytes) {
    const auto* from = reinterpret_cast<const unsigned char*>(first);
    content.insert(content.end(), from, from + bytes);
  });
  return content;
}

inline void restore_shared(const MemoryMap& memory, const std::vector<unsigned char>& content) {
  std::size_t at = 0;
  each_shared_range(memory, [&](std::uintptr_t first, std::size_t bytes) {
    if (bytes != 0) std::memcpy(reinterpret_cast<void*>(first), content.data() + at, bytes);
    at += bytes;
  });
}

// Grids that a kernel launches. CUDA lets a child begin at any time between its launch and the end of the launching grid, which does
// not end before its children have. Here the children run when every block of the launching grid has ended. That is one of CUDA's
// orders, because no thread can wait for what it has launched.
//
// Of one block, what is launched into one stream runs in that order; what is launched into cudaStreamFireAndForget or by different
// blocks is not ordered; cudaStreamTailLaunch comes after all of that. Blocks of children are numbered on from those of their parents.
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
