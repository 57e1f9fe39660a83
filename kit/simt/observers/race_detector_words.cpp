// How the race detector notes an access at each word that it touches. race_detector_pairs.cpp compares what was noted.
#include <algorithm>
#include <optional>
#include <utility>

#include "simt/memory/region.hpp"
#include "simt/observers/race_detector.hpp"
#include "simt/redundant_reads.hpp"

namespace tilelab::simt {
namespace {

constexpr std::uint8_t every_byte = 0xF;

}  // namespace

void RaceDetector::on_access(const Access& access) {
  if (!copies_.none()) {
    const auto has_ended = [&](const Phase& phase) { return threads_.has_awaited(access.by.thread, phase); };
    if (const CopyEvent* copy = copies_.disturbed_by(access, has_ended)) disturbs(access, *copy);
  }
  record(access);
}

void RaceDetector::record(const Access& access) {
  if (!unsettled_.empty()) settle();
  const bool is_shared = access.space == Space::shared;
  // A write to an input is a finding of its own, and without a write an input has no races.
  if (!is_shared && access.region->role == BufferRole::input && access.space == Space::global) return;
  const std::uintptr_t base = is_shared ? access.address - access.offset : 0;
  const std::uint64_t from = is_shared ? access.offset : access.address, end = from + access.size;
  for (std::uint64_t at = from; at < end;) {
    const std::uint64_t number = at / 4, word_end = std::min(end, number * 4 + 4);
    const auto bytes = static_cast<std::uint8_t>(((1u << (word_end - at)) - 1u) << (at % 4));
    at = word_end;
    if (!is_shared) {
      if (Word* word = global_.at(number)) touch(*word, number, bytes, access);
    } else if (number < shared_.size()) {
      withdraw(number);
      const std::size_t position = touch(shared_[number], base / 4 + number, bytes, access);
      if (redundant_ != nullptr && access.kind == AccessKind::read && bytes == every_byte) offer(number, position, access);
    }
  }
  fences_.touch(access);
  if (access.kind == AccessKind::atomic || access.is_volatile || access.is_strong) threads_.synchronize(access);
}

// Offers a word only if just the statement and its __syncwarp()s tell its readers apart: no fence, and no atomic of the thread.
void RaceDetector::offer(std::size_t index, std::size_t position, const Access& access) {
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
void RaceDetector::withdraw(std::size_t index) {
  const RedundantReads::Word* word = redundant_ != nullptr ? redundant_->drop(index) : nullptr;
  if (word == nullptr) return;
  Footprint& footprint = shared_[index].at(word->position);
  footprint.lowest = word->lowest;
  footprint.highest = word->highest;
}

void RaceDetector::withdraw_all() {
  for (std::size_t index = 0; index < shared_.size(); ++index) withdraw(index);
}

void RaceDetector::describe(Footprint& fresh, std::uint8_t bytes, const Access& access) const {
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

std::size_t RaceDetector::touch(Word& word, std::uintptr_t number, std::uint8_t bytes, const Access& access) {
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
  if (same_value_ == SameValue::allowed && access.kind == AccessKind::write) unsettled_.push_back({&word, position});
  return position;
}

// A thread does not race with itself.
bool RaceDetector::is_of(Word& word, std::uint16_t thread) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const Footprint& one = word.at(i);
    if (one.lowest != thread || one.highest != thread) return false;
  }
  return true;
}

void RaceDetector::extend(Word& word, std::size_t position, const Access& access) {
  Footprint& footprint = word.at(position);
  if (same_value_ == SameValue::allowed && access.kind == AccessKind::write) unsettled_.push_back({&word, position});
  const auto thread = static_cast<std::uint16_t>(access.by.thread);
  if (thread >= footprint.lowest && thread <= footprint.highest) return;
  footprint.has_gaps = footprint.has_gaps || !threads_.in_use();
  footprint.lowest = std::min(footprint.lowest, thread);
  footprint.highest = std::max(footprint.highest, thread);
  if (word.written) suspect(word);
}

// By now the last access has written its values. A word of global memory or of the span can be read directly.
void RaceDetector::settle() {
  for (const Written& written : unsettled_) {
    Footprint& footprint = written.word->at(written.position);
    const std::uint32_t content = *reinterpret_cast<const std::uint32_t*>(written.word->number * 4);
    if (footprint.has_content && content != footprint.content) footprint.several_values = true;
    footprint.has_content = true;
    footprint.content = content;
  }
  unsettled_.clear();
}

Moment RaceDetector::moment_of(const Footprint& footprint, std::uint32_t thread, const Access& now) const {
  return {static_cast<std::uint32_t>(block_), now.interval, static_cast<std::uint16_t>(thread), footprint.epoch, footprint.warp_interval,
          threads_.segment(footprint.state)};
}

// Which accesses of this interval fences order before a new access. An atomic of the same thread orders too: earlier atomics on
// that word come before everything that the thread does after its own.
void RaceDetector::order_after_others(Word& word, Footprint& fresh, const Access& access) {
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
void RaceDetector::order_after_past(const Word& word, Footprint& fresh, const Access& access) {
  const std::uint32_t thread = access.by.thread;
  const bool is_plain = access.kind != AccessKind::atomic;
  if (access.space == Space::shared || (!is_plain && !fences_.knows_other_blocks(thread))) return;
  const auto atomic_turn = is_plain && word.last_atomic == thread ? std::optional(word.atomic_turn) : std::nullopt;
  fresh.after_past = history_.known(word.number, fresh, static_cast<std::uint32_t>(block_), thread, fences_, atomic_turn);
}

void RaceDetector::suspect(Word& word) {
  if (word.suspect) return;
  word.suspect = true;
  suspects_.push_back(&word);
}

}  // namespace tilelab::simt
