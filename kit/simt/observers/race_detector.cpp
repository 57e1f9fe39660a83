// Keeps the statements that access each word in a barrier interval, and compares them in pairs.
#include "simt/observers/race_detector.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "simt/memory/region.hpp"
#include "simt/observers/missed_store.hpp"
#include "simt/redundant_reads.hpp"

namespace tilelab::simt {
namespace {

constexpr std::uint8_t whole_word = 0xF;

}  // namespace

RaceDetector::RaceDetector(FindingLog& log, SameValue same_value) : log_(log), same_value_(same_value), history_(log) {
  if (same_value == SameValue::allowed) history_.allow_same_value();
}

void RaceDetector::on_launch_begin(const LaunchEvent& launch) {
  shared_.resize((launch.shared_span + 3) / 4);
  block_size_ = launch.block;
  redundant_ = launch.redundant;
  fences_.begin_launch(launch.block.x * launch.block.y * launch.block.z);
  threads_.begin_launch(launch.block.x * launch.block.y * launch.block.z);
}

void RaceDetector::on_grid_begin(const GridEvent& child) {
  block_size_ = child.block;
  fences_.begin_launch(child.block.x * child.block.y * child.block.z);
}

void RaceDetector::on_block_begin(std::uint64_t block) {
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

// A copy that nothing has waited for may happen in this interval as well as in the one that it began in.
template <typename Chosen>
void RaceDetector::happen_again(Chosen chosen, std::uint32_t interval, std::uint32_t warp_interval, bool is_new_interval) {
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

// While other blocks run, the history must hold what this one has done so far. What follows is added separately, because only the
// earlier part can be ordered before what the others do. The interval goes on, so its words are kept as well.
void RaceDetector::on_block_parked(std::uint64_t block) {
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
  parked.warps = std::exchange(warps_, {});
  parked.fences = fences_.put_aside();
  parked.threads = threads_;
  parked.copies = std::exchange(copies_, {});
  parked.interval_of_block = interval_of_block_;
  parked.several_masks = several_masks_;
}

void RaceDetector::on_block_resumed(std::uint64_t block) {
  on_block_begin(block);
  auto parked = parked_.extract(block);
  if (parked.empty()) return;
  ParkedBlock& kept = parked.mapped();
  for (auto& [index, word] : kept.shared) take_up(shared_[index], std::move(word));
  for (Word& word : kept.global) {
    if (Word* place = global_.at(word.number)) take_up(*place, std::move(word));
  }
  warps_ = std::move(kept.warps);
  fences_.take_up(std::move(kept.fences));
  threads_ = std::move(kept.threads);
  copies_ = std::move(kept.copies);
  interval_of_block_ = kept.interval_of_block;
  several_masks_ = kept.several_masks;
}

void RaceDetector::take_up(Word& place, Word&& word) {
  place = std::move(word);
  place.interval = interval_;
  if (place.suspect) suspects_.push_back(&place);
}

void RaceDetector::on_grid_sync() {
  history_.report();
  history_.forget();
}

void RaceDetector::on_warp_sync(const WarpSyncEvent& sync) {
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

void RaceDetector::on_fence(const FenceEvent& fence) {
  settle();
  if (!fences_.in_use()) withdraw_all();
  threads_.fence(fence.by.thread);
  fences_.fence(fence.by.thread, fence.block_scope, warps_.known_to(fence.by.thread), threads_.known_segments(fence.by.thread));
  happen_again([&](std::uint32_t thread) { return thread == fence.by.thread; }, interval_of_block_, warps_.syncs(fence.by.warp()), false);
}

void RaceDetector::on_phases_begin() {
  if (threads_.in_use()) return;
  withdraw_all();
  threads_.use();
}

void RaceDetector::on_phase_arrival(const ThreadRef& by, const Phase& phase) {
  settle();
  threads_.arrive(by.thread, phase);
  fences_.arrive(by.thread, phase);
  happen_again([&](std::uint32_t thread) { return thread == by.thread; }, interval_of_block_, warps_.syncs(by.warp()), false);
}

void RaceDetector::on_phase_awaited(const ThreadRef& by, const Phase& phase) {
  settle();
  threads_.await(by.thread, phase);
  fences_.await(by.thread, phase);
}

void RaceDetector::on_barrier(const BarrierEvent& event) {
  close_interval(event.interval);
  fences_.barrier();
  threads_.begin_interval();
  copies_.drop([this](const Phase& phase) { return threads_.awaited_before(phase); });
  interval_of_block_ = event.interval + 1;
  happen_again([](std::uint32_t) { return true; }, interval_of_block_, 0, true);
}

std::array<MissedElement, 2> RaceDetector::missed_by(std::uint32_t thread, std::uint32_t present) const {
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

void RaceDetector::on_block_end(std::uint64_t, std::uint32_t last_interval) { close_interval(last_interval); }

void RaceDetector::close_interval(std::uint32_t interval) {
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

void RaceDetector::commit(std::uint32_t interval) {
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

}  // namespace tilelab::simt
