#include "program/pending_work.hpp"

#include <algorithm>

namespace tilelab::program {

std::optional<Use> PendingWork::add(std::uintptr_t allocation, const Use& use) {
  std::deque<Use>& uses = uses_[allocation];
  std::erase_if(uses, [this](const Use& one) { return order_.is_done(one.stamp); });
  std::optional<Use> conflict;
  for (const Use& one : uses) {
    const bool overlaps = one.first < use.end && use.first < one.end;
    if (!overlaps || (one.kernel == nullptr) == (use.kernel == nullptr) || !(one.writes || use.writes) ||
        order_.is_before(one.stamp, use.stamp))
      continue;
    conflict = one;
    break;
  }
  uses.push_back(use);
  if (uses.size() > most_uses) uses.pop_front();
  return conflict;
}

void PendingWork::guard(std::uintptr_t address, std::size_t bytes, const Use& use) {
  if (guards_.size() >= most_guards) return;
  guards_.push_back({{address, bytes}, address + use.first, address + use.end, use});
  guarded_.push_back({address, bytes});
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

const Use* PendingWork::changing(std::uintptr_t address) const {
  for (const Guard& one : guards_) {
    if (address >= one.first && address < one.end && !order_.is_done(one.use.stamp)) return &one.use;
  }
  return nullptr;
}

}  // namespace tilelab::program
