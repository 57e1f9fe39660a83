// Finds races on shared and global memory: two accesses to one byte by different threads, at least one of them a write, not both
// atomic, and not ordered by a barrier of the block, a __syncwarp(), or a fence with an atomic or volatile access.
//
// It decides by those rules, not by the order in which threads ran. For each four-byte word it keeps, for each statement that
// accessed it in this barrier interval, the lowest and the highest thread. It compares statements when the interval ends. Words
// of global memory then join the history of the launch, and blocks are compared when the launch ends. Only the order by fences
// does depend on the run, because it depends on the values that threads read: see needs_reversed_run().
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/observers/access_history.hpp"
#include "executor/observers/copies_in_flight.hpp"
#include "executor/observers/fence_order.hpp"
#include "executor/observers/thread_order.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

class RaceDetector final : public Observer {
 public:
  enum class SameValue : std::uint8_t { races, allowed };  // plain writes of equal values to the same place

  explicit RaceDetector(FindingLog& log, SameValue same_value = SameValue::races);
  bool watches(Space) const override { return true; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override;
  void on_grid_begin(const GridEvent& child) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override;
  void on_warp_sync(const WarpSyncEvent& sync) override;
  void on_fence(const FenceEvent& fence) override;
  void on_barrier(const BarrierEvent& event) override;
  void on_copy_begins(const CopyEvent& copy) override { copies_.begin(copy); }
  void on_copies_committed(const ThreadRef& by) override { copies_.commit(by); }
  void on_phases_begin() override;
  void on_phase_arrival(const ThreadRef& by, const Phase& phase) override;
  void on_phase_awaited(const ThreadRef& by, const Phase& phase) override;
  void on_copies_awaited(const ThreadRef& by, std::uint32_t latest) override { copies_.await(by, latest); }
  void on_block_end(std::uint64_t, std::uint32_t last_interval) override;
  void on_block_parked(std::uint64_t block) override;
  void on_block_resumed(std::uint64_t block) override;
  void on_grid_sync() override;
  void on_launch_end() override { history_.report(); }

  // What this thread of the block would have written to shared memory since the last barrier: see missed_store().
  std::array<MissedElement, 2> missed_by(std::uint32_t thread, std::uint32_t present) const;

  // Only fences or atomics ordered some conflicting accesses. A thread that ignored the value it read there would race, but that
  // may be visible only if blocks and threads run in reverse order.
  bool needs_reversed_run() const { return ordered_some_ || history_.ordered_some(); }

 private:
  struct Word {
    std::uint64_t interval = 0;  // the value of interval_ when written; older contents are invalid
    std::uintptr_t number = 0;   // its address / 4
    Footprint first{};           // most words are accessed by one statement in an interval
    bool written = false, suspect = false;
    std::uint16_t last_atomic = no_thread;
    std::uint32_t atomic_turn = 0;  // of the history, when that was
    std::vector<Footprint> more;

    std::size_t size() const { return 1 + more.size(); }
    Footprint& at(std::size_t position) { return position == 0 ? first : more[position - 1]; }
  };
  struct ThreadRange {
    std::uint32_t lowest, highest;
    bool empty() const { return lowest > highest; }
  };
  struct Written {
    Word* word;
    std::size_t position;
  };
  struct ParkedBlock {  // what is kept of its current interval
    std::vector<std::pair<std::size_t, Word>> shared;
    std::vector<Word> global;
    FenceOrder::Block fences;
    std::tuple<WarpOrder, ThreadOrder, CopiesInFlight, std::uint32_t, bool> others;  // as in of_block()
  };

  auto of_block() { return std::tie(warps_, threads_, copies_, interval_of_block_, several_masks_); }
  void record(const Access& access);
  void disturbs(const Access& access, const CopyEvent& copy);
  template <typename Chosen>
  void happen_again(Chosen chosen, std::uint32_t interval, std::uint32_t warp_interval, bool is_new_interval);
  std::size_t touch(Word& word, std::uintptr_t number, std::uint8_t bytes, const Access& access);  // returns the footprint's position
  static bool is_of(Word& word, std::uint16_t thread);                                             // alone
  void offer(std::size_t index, std::size_t position, const Access& access);
  void withdraw(std::size_t index);
  void withdraw_all();
  void extend(Word& word, std::size_t position, const Access& access);
  void describe(Footprint& fresh, std::uint8_t bytes, const Access& access) const;
  void order_after_others(Word& word, Footprint& fresh, const Access& access);
  void order_after_past(const Word& word, Footprint& fresh, const Access& access);
  void close_interval(std::uint32_t interval);
  void commit(std::uint32_t interval);
  void take_up(Word& place, Word&& word);
  void suspect(Word& word);
  void compare(const Word& word, const Footprint& first, const Footprint& second);
  void compare_all(Word& word);
  void prune(Word& word, Footprint& write, const Access& now);
  bool is_before(const Footprint& earlier, std::size_t position, const Footprint& write) const;
  bool follows(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later) const;
  ThreadRange not_known_to(const Footprint& later, const Footprint& earlier) const;  // threads of the earlier one
  ThreadRange racing_threads(const Footprint& one, const Footprint& other) const;
  Moment moment_of(const Footprint& footprint, std::uint32_t thread, const Access& now) const;
  void settle();

  // Warps that synchronise only within themselves add footprints until the next block barrier. Above this number, footprints that
  // a later write is ordered after are compared and dropped: whatever races with them also races with that write.
  static constexpr std::size_t many_footprints = 64, most_footprints = 512;
  static constexpr std::size_t many_in_phases = 8;  // the same in a block whose threads wait for phases
  static constexpr std::uint16_t no_thread = 0xFFFF;

  FindingLog& log_;
  SameValue same_value_;
  WarpOrder warps_;
  FenceOrder fences_;
  ThreadOrder threads_;
  AccessHistory history_;
  CopiesInFlight copies_;
  RedundantReads* redundant_ = nullptr;
  std::vector<Word> shared_;
  WordTable<Word> global_;
  std::vector<Word*> suspects_;
  std::unordered_map<std::uint64_t, ParkedBlock> parked_;
  std::vector<Written> unsettled_;  // writes of the last access: their values are in memory at the next event
  std::uint64_t interval_ = 1;      // counted over the whole launch
  std::uint64_t block_ = 0;
  std::uint32_t interval_of_block_ = 0;
  Index3 block_size_;
  bool several_masks_ = false;  // in some warp, in this interval
  bool ordered_some_ = false;
};

}  // namespace tilelab::simt
