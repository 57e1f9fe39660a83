#include "program/order/pending_work.hpp"

#include <algorithm>

namespace tilelab::program {

bool PendingWork::may_conflict(const Use& one, const Use& other) {
  if (one.kernel == nullptr && other.kernel == nullptr) return false;
  if (one.touched != nullptr && other.touched != nullptr) return true;
  const bool overlaps = one.first < other.end && other.first < one.end;
  return overlaps && (one.kernel == nullptr) != (other.kernel == nullptr) && (one.writes || other.writes);
}

std::optional<UseConflict> PendingWork::add(std::uintptr_t allocation, const Use& use) {
  std::deque<Use>& uses = uses_[allocation];
  std::erase_if(uses, [this](const Use& one) {
    const bool is_done = order_.is_done(one.stamp);
    if (is_done) drop(one);
    return is_done;
  });
  std::optional<UseConflict> conflict;
  for (const Use& one : uses) {
    if (!may_conflict(one, use) || order_.is_before(one.stamp, use.stamp)) continue;
    std::optional<TouchConflict> place;
    if (one.touched != nullptr && use.touched != nullptr) {
      place = first_conflict(*one.touched, *use.touched);
      if (!place) continue;
    }
    conflict = UseConflict{one, place};
    break;
  }
  uses.push_back(use);
  const std::size_t runs = use.touched != nullptr ? use.touched->size() : 0;
  if (runs_ + runs > most_runs)
    uses.back().touched = nullptr;
  else
    runs_ += runs;
  if (uses.size() > most_uses) {
    drop(uses.front());
    uses.pop_front();
  }
  return conflict;
}

void PendingWork::drop(const Use& one) {
  if (one.touched != nullptr) runs_ -= one.touched->size();
}

void PendingWork::forget(std::uintptr_t allocation) {
  const auto found = uses_.find(allocation);
  if (found == uses_.end()) return;
  for (const Use& one : found->second) drop(one);
  uses_.erase(found);
}

void PendingWork::guard(std::uintptr_t address, std::size_t bytes, const Use& use, const simt::HostConflicts& conflicts) {
  const bool is_free = conflicts.reads.end == 0 && conflicts.writes.end == 0;  // host code may do here what it likes
  if (is_free || guards_.size() >= most_guards) return;
  guards_.push_back({{address, bytes}, use, conflicts});
  guarded_.push_back({address, bytes});
}

simt::HostConflicts PendingWork::conflicts_of_copy(const Use& use) {
  const simt::UsedRange all{use.first, use.end};
  return {.reads = use.writes ? all : simt::UsedRange{}, .writes = all, .atomics = all};
}

PendingWork::Guarded PendingWork::take_guarded() {
  std::vector<Range> all = std::exchange(guarded_, {});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Guarded guarded;
  for (const Range& range : all) {
    const bool is_written = std::any_of(guards_.begin(), guards_.end(), [&](const Guard& one) {
      return one.range == range && one.conflicts.reads.end != 0 && !order_.is_done(one.use.stamp);
    });
    (is_written ? guarded.wholly : guarded.from_writes).push_back(range);
  }
  return guarded;
}

std::vector<PendingWork::Range> PendingWork::take_done() {
  std::vector<Range> done, kept;
  std::erase_if(guards_, [&](const Guard& one) {
    const bool is_done = order_.is_done(one.use.stamp);
    (is_done ? done : kept).push_back(one.range);
    return is_done;
  });
  std::erase_if(done, [&](const Range& one) { return std::find(kept.begin(), kept.end(), one) != kept.end(); });
  std::sort(done.begin(), done.end());
  done.erase(std::unique(done.begin(), done.end()), done.end());
  return done;
}

PendingWork::Disturbed PendingWork::disturbed(std::uintptr_t address, HostTouch touch) const {
  Disturbed found;
  for (const Guard& one : guards_) {
    if (address < one.range.first || order_.is_done(one.use.stamp)) continue;
    const std::size_t at = address - one.range.first;
    const auto holds = [at](const simt::UsedRange& range) { return at >= range.first && at < range.end; };
    const auto& [reads, writes, atomics] = one.conflicts;
    if (!holds(touch == HostTouch::read ? reads : touch == HostTouch::write ? writes : atomics)) continue;
    if (holds(reads)) return {&one.use, true};
    found.use = &one.use;
  }
  return found;
}

}  // namespace tilelab::program
