// Races on shared memory between threads of one block: two accesses to one byte within one barrier interval, at least
// one a write, not both atomic, by different threads that no __syncwarp() orders.
//
// It decides by those rules, not by the order in which threads happened to run: per four-byte word it keeps, for each
// statement that touched it in this interval, the lowest and the highest thread, and compares statements when the
// interval ends. Not here: global memory.
#pragma once

#include <array>
#include <vector>

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class RaceDetector final : public Observer {
 public:
  explicit RaceDetector(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space == Space::shared; }
  void on_launch_begin(const LaunchEvent& launch) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override;
  void on_warp_sync(const WarpSyncEvent& sync) override;
  void on_barrier(const BarrierEvent&) override { close_interval(); }
  void on_block_end(std::uint64_t, std::uint32_t) override { close_interval(); }

 private:
  // Every access of one statement to one word in one interval, folded.
  struct Trace {
    std::uintptr_t pc;
    const Region* region;
    std::uint32_t warp_interval;
    std::uint32_t syncs;            // of its warp, that had completed before the first of them
    std::uint16_t lowest, highest;  // threads
    AccessKind kind;
    std::uint8_t bytes;  // mask of the word's four bytes

    bool same_statement(const Access& access, std::uint8_t mask) const {
      return pc == access.pc && kind == access.kind && bytes == mask && warp_interval == access.warp_interval;
    }
  };
  struct Word {
    std::uint64_t interval = 0;  // of interval_: older contents are void
    Trace first{};               // most words see one statement in an interval
    bool written = false, suspect = false;
    std::vector<Trace> more;
  };

  // The __syncwarp()s of one warp in this barrier interval, as they completed.
  struct Warp {
    std::uint64_t interval = 0;  // of interval_: older contents are void
    bool several_masks = false;  // which lanes a sync orders then differs: statements are kept apart by lane
    std::vector<WarpSyncEvent> syncs;
  };

  void touch(std::size_t word, std::uint8_t bytes, const Access& access);
  void close_interval();
  void suspect(std::size_t word);
  void compare(std::size_t word, const Trace& first, const Trace& second);
  // Whether a chain of __syncwarp()s leads from what one lane did to what another lane of its warp did later.
  bool ordered(const Trace& earlier, std::uint32_t its_thread, const Trace& later, std::uint32_t later_thread) const;
  void prune(std::size_t word, const Trace& write);
  bool keeps_lanes_apart(const Access& access) const {
    const Warp& warp = warps_[access.by.warp()];
    return access.warp_interval != 0 && warp.interval == interval_ && warp.several_masks;
  }

  // Warps that keep to themselves leave traces for as long as no block barrier comes; from here on, those that a later
  // write is ordered after are compared and dropped: whatever races with them races with that write.
  static constexpr std::size_t many_traces = 64;

  FindingLog& log_;
  std::vector<Word> words_;
  std::array<Warp, 32> warps_;
  std::vector<std::size_t> suspects_;
  std::uint64_t interval_ = 1;  // counted over the whole launch
  std::uint64_t block_ = 0;
};

}  // namespace tilelab::simt
