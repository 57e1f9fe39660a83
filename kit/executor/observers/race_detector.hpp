// Finds races on shared and global memory: two accesses to one byte by different threads, at least one of them a write, not both
// atomic, and not ordered by a barrier of the block, a __syncwarp(), or a fence with an atomic or volatile access.
//
// It decides by those rules, not by the order in which threads ran. For each four-byte word it keeps, for each statement that
// accessed it in this barrier interval, the lowest and the highest thread. It compares statements when the interval ends. Words
// of global memory then join the history of the launch, and blocks are compared when the launch ends. Only the order by fences
// does depend on the run, because it depends on the values that threads read: see needs_reversed_run().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/region.hpp"
#include "executor/observers/access_history.hpp"
#include "executor/observers/barrier_places.hpp"
#include "executor/observers/copies_in_flight.hpp"
#include "executor/observers/fence_order.hpp"
#include "executor/observers/thread_order.hpp"
#include "executor/observers/word_use.hpp"
#include "executor/redundant_reads.hpp"

namespace tilelab::simt {

class RaceDetector final : public Observer {
 public:
  using SameValue = simt::SameValue;

  explicit RaceDetector(FindingLog& log, SameValue same_value = SameValue::races)
      : log_(log), same_value_(same_value), history_(log, same_value) {}
  bool watches(Space) const override { return true; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override {
    shared_.resize((launch.shared_span + 3) / 4);
    redundant_ = launch.redundant;
    begin_grid(launch.block);
  }
  void on_grid_begin(const GridEvent& child) override { begin_grid(child.block); }
  void on_block_begin(std::uint64_t block) override {
    block_ = block;
    interval_of_block_ = 0;
    history_.begin_turn();
    ++interval_;
    if (redundant_ != nullptr) redundant_->begin_interval();
    warps_.begin_interval();
    several_masks_ = false;
    fences_.begin_block(static_cast<std::uint32_t>(block));
    threads_.begin_block();
    copies_.begin_block();
  }
  void on_access(const Access& access) override {
    if (!copies_.none()) {
      const auto has_ended = [&](const Phase& phase) { return threads_.has_awaited(access.by.thread, phase); };
      if (const CopyEvent* copy = copies_.disturbed_by(access, has_ended)) disturbs(access, *copy);
    }
    record(access);
  }
  // While other blocks run, the history must hold what this one has done so far. What follows is added separately, because only the
  // earlier part can be ordered before what the others do. The interval goes on, so its words are kept as well.
  void on_block_parked(std::uint64_t block) override {
    settle();
    withdraw_all();
    commit(fences_.interval());
    ParkedBlock& parked = parked_[block];
    for (std::size_t index = 0; index < shared_.size(); ++index) {
      if (shared_[index].interval == interval_) parked.shared.emplace_back(index, std::exchange(shared_[index], {}));
    }
    for (std::size_t i = 0; i < global_.size(); ++i) {
      for (std::size_t position = 0; position < global_[i].size(); ++position) global_[i].at(position).committed = true;
      parked.global.push_back(std::exchange(global_[i], {}));
    }
    global_.begin_interval();
    suspects_.clear();
    parked.fences = fences_.put_aside();
    parked.others = {std::exchange(warps_, {}), threads_, std::exchange(copies_, {}), interval_of_block_, several_masks_};
  }
  void on_block_resumed(std::uint64_t block) override {
    on_block_begin(block);
    auto parked = parked_.extract(block);
    if (parked.empty()) return;
    ParkedBlock& kept = parked.mapped();
    for (auto& [index, word] : kept.shared) take_up(shared_[index], std::move(word));
    for (Word& word : kept.global) {
      if (Word* place = global_.at(word.number)) take_up(*place, std::move(word));
    }
    fences_.take_up(std::move(kept.fences));
    std::tie(warps_, threads_, copies_, interval_of_block_, several_masks_) = std::move(kept.others);
  }
  void on_grid_sync() override {
    history_.report();
    history_.forget();
  }
  void on_warp_sync(const WarpSyncEvent& sync) override {
    settle();
    warps_.sync(sync);
    if (!several_masks_ && warps_.several_masks(sync.warp)) {
      several_masks_ = true;
      withdraw_all();
    }
    fences_.warp_sync(sync.warp, sync.mask);
    threads_.warp_sync(sync.warp, sync.mask);
    const auto joined = [&](std::uint32_t thread) { return thread / 32 == sync.warp && (sync.mask >> (thread % 32) & 1u) != 0; };
    happen_again(joined, interval_of_block_, sync.warp_interval, false);
  }
  void on_fence(const FenceEvent& fence) override {
    settle();
    if (!fences_.in_use()) withdraw_all();
    threads_.fence(fence.by.thread);
    fences_.fence(fence.by.thread, fence.block_scope, warps_.known_to(fence.by.thread), threads_.known_segments(fence.by.thread));
    happen_again([&](std::uint32_t thread) { return thread == fence.by.thread; }, interval_of_block_, warps_.syncs(fence.by.warp()), false);
  }
  void on_copy_begins(const CopyEvent& copy) override { copies_.begin(copy); }
  void on_copies_committed(const ThreadRef& by) override { copies_.commit(by); }
  void on_copies_awaited(const ThreadRef& by, std::uint32_t latest) override { copies_.await(by, latest); }
  void on_phases_begin() override {
    if (threads_.in_use()) return;
    withdraw_all();
    threads_.use();
  }
  void on_phase_arrival(const ThreadRef& by, const Phase& phase) override {
    settle();
    threads_.arrive(by.thread, phase);
    fences_.arrive(by.thread, phase);
    happen_again([&](std::uint32_t thread) { return thread == by.thread; }, interval_of_block_, warps_.syncs(by.warp()), false);
  }
  void on_phase_awaited(const ThreadRef& by, const Phase& phase) override {
    settle();
    threads_.await(by.thread, phase);
    fences_.await(by.thread, phase);
  }
  void on_barrier(const BarrierEvent& event) override {
    close_interval(event.interval);
    fences_.barrier();
    threads_.begin_interval();
    copies_.drop([this](const Phase& phase) { return threads_.awaited_before(phase); });
    interval_of_block_ = event.interval + 1;
    happen_again([](std::uint32_t) { return true; }, interval_of_block_, 0, true);
  }
  void on_block_end(std::uint64_t, std::uint32_t last_interval) override { close_interval(last_interval); }
  void on_launch_end() override { history_.report(); }

  // What this thread of the block would have written to shared memory since the last barrier: see missed_store().
  std::array<MissedElement, 2> missed_by(std::uint32_t thread, std::uint32_t present) const {
    struct Stores {
      const Region* region;
      std::vector<StoredWord> words;
    };
    std::map<std::uintptr_t, Stores> by_statement;
    for (const Word& word : shared_) {
      if (word.interval != interval_) continue;
      const auto note = [&](const Footprint& one) {
        if (one.kind != AccessKind::write || one.lowest != one.highest || one.bytes != whole_word || one.region == nullptr) return;
        Stores& stores = by_statement[one.pc];
        if (stores.words.empty()) stores.region = one.region;
        const auto offset = static_cast<std::int64_t>(word.number * 4) - static_cast<std::int64_t>(stores.region->base);
        stores.words.push_back({one.lowest, offset});
      };
      note(word.first);
      for (const Footprint& one : word.more) note(one);
    }
    std::array<MissedElement, 2> missed{};
    auto next = missed.begin();
    for (const auto& [pc, stores] : by_statement) {
      const auto offset = missed_store(stores.words, block_size_, thread, present);
      const bool fits = offset && *offset >= 0 && static_cast<std::size_t>(*offset) + 4 <= stores.region->bytes;
      if (fits && stores.region->element_bytes == 4 && next != missed.end()) *next++ = {stores.region, *offset, pc};
    }
    return missed;
  }

  // Only fences or atomics ordered some conflicting accesses. A thread that ignored the value it read there would race, but that
  // may be visible only if blocks and threads run in reverse order.
  bool needs_reversed_run() const { return ordered_some_ || history_.ordered_some(); }

 private:
  static constexpr std::uint8_t whole_word = 0xF;
  static constexpr std::uint16_t no_thread = 0xFFFF;
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
    std::tuple<WarpOrder, ThreadOrder, CopiesInFlight, std::uint32_t, bool> others;  // in the order of on_block_resumed()
  };

  void begin_grid(const Index3& block) {
    block_size_ = block;
    fences_.begin_launch(block.x * block.y * block.z);
    threads_.begin_launch(block.x * block.y * block.z);
  }
  // A copy that nothing has waited for may happen in this interval as well as in the one that it began in.
  template <typename Chosen>
  void happen_again(Chosen chosen, std::uint32_t interval, std::uint32_t warp_interval, bool is_new_interval) {
    if (copies_.none()) return;
    copies_.each(chosen, [&](const CopyEvent& copy) {
      if (copy.destination.completed_by.barrier != 0 && !is_new_interval) return;  // its phase says when it has ended
      for (Access access : {copy.source, copy.destination}) {
        access.interval = interval;
        access.warp_interval = warp_interval;
        if (access.region != nullptr) record(access);
      }
    });
  }
  void take_up(Word& place, Word&& word) {
    place = std::move(word);
    place.interval = interval_;
    if (place.suspect) suspects_.push_back(&place);
  }
  void close_interval(std::uint32_t interval) {
    settle();
    for (Word* word : suspects_) {
      if (word >= shared_.data() && word < shared_.data() + shared_.size()) withdraw(static_cast<std::size_t>(word - shared_.data()));
      compare_all(*word);
    }
    suspects_.clear();
    commit(interval);
    global_.begin_interval();
    warps_.begin_interval();
    several_masks_ = false;
    if (redundant_ != nullptr) redundant_->begin_interval();
    ++interval_;
  }
  void commit(std::uint32_t interval) {
    const auto block = static_cast<std::uint32_t>(block_);
    for (std::size_t i = 0; i < global_.size(); ++i) {
      Word& word = global_[i];
      for (std::size_t position = 0; position < word.size(); ++position) {
        const Footprint& one = word.at(position);
        if (!one.committed) history_.commit(word.number, one, block, interval, threads_.segment(one.state));
      }
      history_.settle(word.number, word.first.region);
    }
  }

  // How an access is noted at each word that it touches.

  void record(const Access& access) {
    if (!unsettled_.empty()) settle();
    const bool is_shared = access.space == Space::shared;
    // A write to an input is a finding of its own, and without a write an input has no races.
    if (!is_shared && access.region->role == BufferRole::input && access.space == Space::global) return;
    const std::uintptr_t base = is_shared ? access.address - access.offset : 0;
    const std::uint64_t from = is_shared ? access.offset : access.address, end = from + access.size;
    for (std::uint64_t at = from; at < end;) {
      const std::uint64_t number = at / 4;
      const std::uint8_t bytes = bytes_of_word(at, end);
      at = (number + 1) * 4;
      if (!is_shared) {
        if (Word* word = global_.at(number)) touch(*word, number, bytes, access);
      } else if (number < shared_.size()) {
        withdraw(number);
        const std::size_t position = touch(shared_[number], base / 4 + number, bytes, access);
        if (redundant_ != nullptr && access.kind == AccessKind::read && bytes == whole_word) offer(number, position, access);
      }
    }
    fences_.touch(access);
    if (access.kind == AccessKind::atomic || access.is_volatile || access.is_strong) threads_.synchronize(access);
  }
  // Offers a word only if just the statement and its __syncwarp()s tell its readers apart: no fence, and no atomic of the thread.
  void offer(std::size_t index, std::size_t position, const Access& access) {
    const Word& word = shared_[index];
    if (access.is_volatile || fences_.in_use() || threads_.in_use() || position >= word.size() || copies_.covers_word(index)) return;
    if (access.warp_interval != 0 && several_masks_) return;  // readers of any warp may have to be kept apart
    const auto is_alone = [](const Footprint& one) { return one.alone; };
    if (word.first.alone || std::any_of(word.more.begin(), word.more.end(), is_alone)) return;
    const Footprint& footprint = position == 0 ? word.first : word.more[position - 1];
    if (word.written) suspect(shared_[index]);  // what other threads read is not announced
    redundant_->offer(index, access.pc, access.warp_interval, footprint.lowest, footprint.highest, position);
  }
  // Adds the threads of the unannounced reads to their footprint. It must run before the footprint is used.
  void withdraw(std::size_t index) {
    const RedundantReads::Word* word = redundant_ != nullptr ? redundant_->drop(index) : nullptr;
    if (word == nullptr) return;
    Footprint& footprint = shared_[index].at(word->position);
    footprint.lowest = word->lowest;
    footprint.highest = word->highest;
  }
  void withdraw_all() {
    for (std::size_t index = 0; index < shared_.size(); ++index) withdraw(index);
  }
  void describe(Footprint& fresh, std::uint8_t bytes, const Access& access) const {
    fresh = Footprint{};
    fresh.pc = access.pc;
    fresh.region = access.region;
    fresh.of_copy = access.of_copy;
    fresh.warp_interval = access.warp_interval;
    fresh.syncs = warps_.syncs(access.by.warp());
    fresh.lowest = fresh.highest = static_cast<std::uint16_t>(access.by.thread);
    fresh.epoch = fences_.epoch(access.by.thread);
    fresh.kind = access.kind;
    fresh.bytes = bytes;
    fresh.is_volatile = access.is_volatile;
    fresh.block_scope = access.block_scope;
    fresh.state = threads_.state(access.by.thread);
    fresh.is_strong = access.is_strong;
    fresh.completed_by = access.completed_by;
    fresh.alone = fences_.knows_more_than_its_block(access.by.thread);
  }
  std::size_t touch(Word& word, std::uintptr_t number, std::uint8_t bytes, const Access& access) {
    const auto thread = static_cast<std::uint16_t>(access.by.thread);
    if (word.interval == interval_) {
      const bool apart =
          (access.warp_interval != 0 && warps_.several_masks(access.by.warp())) || fences_.knows_more_than_its_block(access.by.thread);
      const std::uint16_t epoch = fences_.epoch(access.by.thread);
      const bool in_phases = threads_.in_use();
      const std::uint32_t state = threads_.state(access.by.thread);
      // So a footprint holds all threads from the lowest to the highest: which of them a phase orders is asked for each.
      const auto adjoins = [&](const Footprint& one) {
        return one.state == state && (one.has_gaps || (thread + 1 >= one.lowest && thread <= one.highest + 1));
      };
      const auto takes = [&](const Footprint& one) {
        return !one.committed && one.pc == access.pc && one.kind == access.kind && one.bytes == bytes &&
               one.warp_interval == access.warp_interval && one.epoch == epoch && one.is_volatile == access.is_volatile &&
               one.is_strong == access.is_strong && one.block_scope == access.block_scope && one.completed_by == access.completed_by &&
               ((!apart && !one.alone) || (one.lowest == thread && one.highest == thread)) && (!in_phases || adjoins(one));
      };
      if (access.kind == AccessKind::atomic) {
        word.last_atomic = thread;
        word.atomic_turn = history_.turn();
      }
      for (std::size_t i = 0; i < word.size(); ++i) {
        if (!takes(word.at(i))) continue;
        extend(word, i, access);
        return i;
      }
    } else {
      word.interval = interval_;
      word.number = number;
      word.written = word.suspect = false;
      word.last_atomic = access.kind == AccessKind::atomic ? thread : no_thread;
      word.atomic_turn = history_.turn();
      word.more.clear();
      word.first.bytes = 0;
    }
    std::size_t position = 0;
    if (word.first.bytes == 0) {  // most words are accessed by one statement in an interval, so the first is stored in the word itself
      describe(word.first, bytes, access);
      order_after_past(word, word.first, access);
      word.written = access.kind != AccessKind::read;
    } else {
      Footprint fresh;
      describe(fresh, bytes, access);
      const bool of_one_thread = is_of(word, thread);
      order_after_others(word, fresh, access);
      order_after_past(word, fresh, access);
      if (word.more.size() >= most_footprints) return word.size();
      const bool is_crowded = threads_.in_use() ? word.more.size() >= many_in_phases : word.more.size() >= many_footprints;
      if (is_crowded && (access.kind == AccessKind::write || threads_.in_use())) prune(word, fresh, access);
      if (word.first.bytes == 0) {
        word.first = fresh;
      } else {
        word.more.push_back(fresh);
        position = word.size() - 1;
      }
      word.written = word.written || access.kind != AccessKind::read;
      if (word.written && !of_one_thread) suspect(word);
    }
    if (same_value_ != SameValue::races && access.kind == AccessKind::write) unsettled_.push_back({&word, position});
    return position;
  }
  // A thread does not race with itself.
  bool is_of(Word& word, std::uint16_t thread) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      const Footprint& one = word.at(i);
      if (one.lowest != thread || one.highest != thread) return false;
    }
    return true;
  }
  void extend(Word& word, std::size_t position, const Access& access) {
    Footprint& footprint = word.at(position);
    if (same_value_ != SameValue::races && access.kind == AccessKind::write) unsettled_.push_back({&word, position});
    const auto thread = static_cast<std::uint16_t>(access.by.thread);
    if (thread >= footprint.lowest && thread <= footprint.highest) return;
    footprint.has_gaps = footprint.has_gaps || !threads_.in_use();
    footprint.lowest = std::min(footprint.lowest, thread);
    footprint.highest = std::max(footprint.highest, thread);
    if (word.written) suspect(word);
  }
  // By now the last access has written its values. A word of global memory or of the span can be read directly.
  void settle() {
    for (const Written& written : unsettled_) {
      Footprint& footprint = written.word->at(written.position);
      const std::uint32_t content = *reinterpret_cast<const std::uint32_t*>(written.word->number * 4);
      if (footprint.has_content && content != footprint.content) footprint.several_values = true;
      footprint.has_content = true;
      footprint.content = content;
    }
    unsettled_.clear();
  }
  Moment moment_of(const Footprint& footprint, std::uint32_t thread, const Access& now) const {
    return {static_cast<std::uint32_t>(block_), now.interval, static_cast<std::uint16_t>(thread), footprint.epoch, footprint.warp_interval,
            threads_.segment(footprint.state)};
  }
  // Which accesses of this interval fences order before a new access. An atomic of the same thread orders too: earlier atomics on
  // that word come before everything that the thread does after its own.
  void order_after_others(Word& word, Footprint& fresh, const Access& access) {
    const std::uint32_t thread = access.by.thread;
    const bool after_atomics = access.kind != AccessKind::atomic && word.last_atomic == thread;
    if (!fresh.alone && !after_atomics) return;
    for (std::size_t i = 0; i < word.size(); ++i) {
      Footprint& other = word.at(i);
      if (!conflict(other, fresh, true, true) || (other.lowest == thread && other.highest == thread)) continue;
      if (other.completed_by.barrier != 0) continue;  // only its phase completes it
      const bool by_atomic = after_atomics && other.kind == AccessKind::atomic;
      const bool by_fence = fences_.in_use() && fences_.knows(thread, moment_of(other, other.lowest, access)) &&
                            fences_.knows(thread, moment_of(other, other.highest, access));
      if (!by_atomic && !by_fence) continue;
      fresh.after |= position_bit(i);
      fresh.alone = other.alone = true;
      ordered_some_ = true;
    }
  }
  // The same for accesses of earlier blocks.
  void order_after_past(const Word& word, Footprint& fresh, const Access& access) {
    const std::uint32_t thread = access.by.thread;
    const bool is_plain = access.kind != AccessKind::atomic;
    if (access.space == Space::shared || (!is_plain && !fences_.knows_other_blocks(thread))) return;
    const std::uint64_t atomic_turns = is_plain && word.last_atomic == thread ? std::uint64_t{word.atomic_turn} + 1 : 0;
    fresh.after_past = history_.known(word.number, fresh, static_cast<std::uint32_t>(block_), thread, fences_, atomic_turns);
  }
  void suspect(Word& word) {
    if (word.suspect) return;
    word.suspect = true;
    suspects_.push_back(&word);
  }

  // How the statements that access a word are compared, in pairs, and what is reported of two that nothing orders.

  void compare_all(Word& word) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      for (std::size_t j = i; j < word.size(); ++j) {
        const bool ordered = (word.at(j).after & position_bit(i)) != 0 || (word.at(i).after & position_bit(j)) != 0;
        if (!ordered) compare(word, word.at(i), word.at(j));
      }
    }
  }
  bool is_before(const Footprint& earlier, std::size_t position, const Footprint& write) const {
    if ((earlier.bytes & ~write.bytes) != 0) return false;
    if ((write.after & position_bit(position)) != 0) return true;
    if (threads_.in_use()) {
      const bool alike = earlier.is_volatile == write.is_volatile && earlier.is_strong == write.is_strong;
      if (write.kind != AccessKind::write && (write.kind != earlier.kind || earlier.kind != AccessKind::read || !alike)) return false;
      return not_known_to(write, earlier).empty();
    }
    const auto of_one = [&](std::uint32_t thread) {
      return thread == write.lowest || warps_.ordered(earlier, thread, write, write.lowest);
    };
    return of_one(earlier.lowest) && of_one(earlier.highest);
  }
  // Whether the later access is by a thread that knows of the earlier one of `its_thread`.
  bool follows(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later) const {
    if (earlier.completed_by.barrier != 0) return threads_.knows(later.state, earlier.completed_by);
    return threads_.knows(later.state, its_thread, earlier.state);
  }
  ThreadRange not_known_to(const Footprint& later, const Footprint& earlier) const {
    ThreadRange range{1, 0};
    const bool one = later.lowest == later.highest;
    for (std::uint32_t thread = earlier.lowest; thread <= earlier.highest; ++thread) {
      if (follows(earlier, thread, later) || (one && thread == later.lowest)) continue;
      if (range.empty()) range.lowest = thread;
      range.highest = thread;
    }
    return range;
  }
  void prune(Word& word, Footprint& write, const Access& now) {
    std::vector<Footprint> all = std::exchange(word.more, {});
    all.insert(all.begin(), word.first);
    for (std::size_t i = all.size(); i-- > 0;) {
      const Footprint old = all[i];
      if (!is_before(old, i, write)) continue;
      for (std::size_t j = 0; j < all.size(); ++j) {
        const bool ordered = (all[j].after & position_bit(i)) != 0 || (old.after & position_bit(j)) != 0;
        if (!ordered) compare(word, old, all[j]);
      }
      // Another block may race with a dropped access but not with the write, so it is recorded first.
      if (old.region->space != Space::shared && !old.committed)
        history_.commit(word.number, old, static_cast<std::uint32_t>(block_), now.interval, threads_.segment(old.state));
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      for (Footprint& one : all) one.after = without_position(one.after, i);
      write.after = without_position(write.after, i);
    }
    word.first.bytes = 0;
    if (all.empty()) return;
    word.first = all.front();
    word.more.assign(all.begin() + 1, all.end());
  }
  // The threads of one footprint that no phase of a barrier orders before the other one.
  ThreadRange racing_threads(const Footprint& one, const Footprint& other) const {
    if (!threads_.in_use()) return {one.lowest, one.highest};
    ThreadRange range = one.has_gaps ? ThreadRange{one.lowest, one.highest} : not_known_to(other, one);
    if (!one.has_gaps) return range;
    if (follows(one, range.lowest, other)) range.lowest = range.highest;
    if (follows(one, range.highest, other)) range.highest = range.lowest;
    if (follows(one, range.lowest, other)) return {1, 0};
    return range;
  }
  void compare(const Word& word, const Footprint& a, const Footprint& b) {
    const bool maybe = conflict(a, b, true, true);
    if (!maybe || (same_value_ == SameValue::allowed && same_value(a, b))) return;
    if (b.rank() < a.rank()) return compare(word, b, a);
    const bool alike = a.rank() == b.rank();
    // It is enough to compare the lowest and the highest threads: if any pair races, so does one of these.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> racing;
    const auto of_a = racing_threads(a, b), of_b = racing_threads(b, a);
    if (of_a.empty() || of_b.empty()) return;
    for (const std::uint32_t first : {of_a.lowest, of_a.highest}) {
      for (const std::uint32_t second : {of_b.lowest, of_b.highest}) {
        if (first == second || !conflict(a, b, true, first / 32 == second / 32)) continue;
        const bool by_warp = a.completed_by.barrier == 0 && b.completed_by.barrier == 0;
        if (by_warp && (warps_.ordered(a, first, b, second) || warps_.ordered(b, second, a, first))) continue;
        const std::pair<std::uint32_t, std::uint32_t> both = alike ? std::minmax({first, second}) : std::pair(first, second);
        if (!racing || both < *racing) racing = both;
      }
    }
    if (!racing) return;
    RawFinding finding = race_between(a, {block_, racing->first}, b, {block_, racing->second}, word.number);
    finding.lowest_warp = std::min(of_a.lowest, of_b.lowest) / 32;
    finding.highest_warp = std::max(of_a.highest, of_b.highest) / 32;
    finding.same_value = same_value_ == SameValue::told && same_value(a, b);
    if (threads_.in_use()) finding.about = RawFinding::About::phases;
    if (a.completed_by.barrier != 0 && a.kind != AccessKind::read)
      finding.what =
          "copies {element} asynchronously while another thread uses it: that thread has to wait for the barrier or the stage of the "
          "pipeline that completes the copy";
    else if (b.completed_by.barrier != 0)
      finding.what =
          "writes {element}, which another thread's asynchronous copy may still have to read: first this thread has to wait for the "
          "barrier or the stage of the pipeline that completes the copy";
    else if (a.of_copy && a.kind != AccessKind::read)
      finding.what =
          "copies {element} asynchronously while another thread uses it: first this thread has to wait for its copy, and then "
          "a barrier has to follow";
    else if (b.of_copy)
      finding.what =
          "writes {element}, which another thread's asynchronous copy may still have to read: first that thread has to wait for "
          "its copy, and then a barrier has to follow";
    log_.report(finding);
  }
  // A thread's own access to what its own copy still uses: no other thread is needed to go wrong.
  void disturbs(const Access& access, const CopyEvent& copy) {
    const bool at_destination =
        access.address < copy.destination.address + copy.destination.size && copy.destination.address < access.address + access.size;
    const Access& other = at_destination ? copy.destination : copy.source;
    const std::uintptr_t from = std::max(access.address, other.address);
    RawFinding finding = finding_about(Verdict::race, access);
    finding.other = {other.pc, access_name(other.kind), other.by};
    finding.offset = static_cast<std::int64_t>(from - access.region->base);
    finding.size = 1;
    finding.what = !at_destination                   ? "writes {element}, which its own asynchronous copy may still have to read: "
                                                       "nothing has waited for the copy"
                   : access.kind == AccessKind::read ? "reads {element}, which its own asynchronous copy may still have to write: "
                                                       "nothing has waited for the copy"
                                                     : "writes {element}, which its own asynchronous copy may still have to write: "
                                                       "nothing has waited for the copy";
    log_.report(finding);
  }

  // Warps that synchronise only within themselves add footprints until the next block barrier. Above this number, footprints that
  // a later write is ordered after are compared and dropped: whatever races with them also races with that write.
  static constexpr std::size_t many_footprints = 64, most_footprints = 512;
  static constexpr std::size_t many_in_phases = 8;  // the same in a block whose threads wait for phases

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
