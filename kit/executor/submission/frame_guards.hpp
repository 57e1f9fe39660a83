// Bytes of the submission's frames that belong to nobody: the guards that the builder declares around arrays and other locals. And where
// locals lie that a jump may leave without a value. On x86-64 locals lie below the link to the caller's frame; elsewhere: no guards.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "executor/memory/region.hpp"

namespace tilelab::simt {

// All places are counted from the frame pointer.
struct GuardZone {
  std::int64_t begin = 0, end = 0;
  std::ptrdiff_t below = -1, above = -1;  // the variables next to it, as indices; -1: none
};

struct GuardedFrame {
  std::uintptr_t first = 0, end = 0;  // of the function's code
  std::vector<GuardZone> zones;       // sorted
  std::vector<Region> variables;
  std::vector<std::int64_t> begins;  // where each variable lies
  struct Extent {
    std::int64_t begin = 0, end = 0;
  };
  std::vector<Extent> memory;  // arrays that a GPU keeps in local memory
  std::vector<Extent> unset;   // locals that get the pattern of an unset value when the function begins: a jump may skip what does that

  bool has(std::uintptr_t pc) const { return pc - 1 - first < end - first; }
  // Of an access: the zone that it hits, or null; whether it is one to local memory; and how far around it the same is true, if that ends
  // on that side.
  struct Look {
    const GuardZone* zone = nullptr;
    std::optional<std::int64_t> begin, end;
    bool in_memory = false;
  };
  Look look(std::int64_t offset, std::size_t size) const {
    const auto above = std::partition_point(zones.begin(), zones.end(), [offset](const GuardZone& zone) { return zone.begin < offset; });
    Look found;
    if (above != zones.begin()) {
      found.begin = std::prev(above)->end;
      if (offset < *found.begin) found.zone = &*std::prev(above);
    }
    if (above != zones.end()) {
      found.end = above->begin;
      if (found.zone == nullptr && offset + static_cast<std::int64_t>(size) > *found.end) found.zone = &*above;
    }
    const auto begins = [&](std::int64_t at) { found.begin = std::max(found.begin.value_or(at), at); };
    const auto ends = [&](std::int64_t at) { found.end = std::min(found.end.value_or(at), at); };
    for (const Extent& array : memory) {
      if (offset >= array.end) {
        begins(array.end);
      } else if (offset < array.begin) {
        ends(array.begin);
      } else {
        found.in_memory = true;
        begins(array.begin);
        ends(array.end);
      }
    }
    return found;
  }
};

// What is known of accesses to locals, so that most of them need not be looked at: by instruction, as how a function lays out its
// frame never changes; and for frames of callers, the places that no guard lies in.
class LocalGaps {
 public:
  struct Gap {
    std::uintptr_t begin = 0, end = 0;
    bool in_memory = false;
    bool holds(std::uintptr_t address, std::size_t size) const {
      const std::uintptr_t from_begin = address - begin, bytes = end - begin;
      return from_begin < bytes && size <= bytes - from_begin;
    }
  };

  // Of an access to the running function's own frame. Places are counted from the frame pointer, guards in this frame alone.
  const Gap* of_own(std::uintptr_t pc, std::uintptr_t frame, std::uintptr_t address, std::size_t size) const {
    const Own& one = own_[place_of(pc)];
    return one.pc == pc && one.gap.holds(address - frame, size) ? &one.gap : nullptr;
  }
  void add_own(std::uintptr_t pc, const Gap& gap) { own_[place_of(pc)] = {pc, gap}; }

  const Gap* of_caller(std::uintptr_t address, std::size_t size) const {
    for (const Gap& gap : gaps_) {
      if (gap.holds(address, size)) return &gap;
    }
    return nullptr;
  }
  // Two that end at the same place are one.
  void add_caller(const Gap& gap) {
    for (Gap& known : gaps_) {
      if (known.end != gap.end || known.in_memory != gap.in_memory) continue;
      known.begin = std::min(known.begin, gap.begin);
      return;
    }
    gaps_[next_++ % gaps_.size()] = gap;
  }

  // A function begins, whose frame lies where others may have lain.
  void forget_below(std::uintptr_t link) {
    for (Gap& gap : gaps_) {
      if (gap.begin < link) gap = {};
    }
  }

 private:
  struct Own {
    std::uintptr_t pc = 0;
    Gap gap;
  };
  static std::size_t place_of(std::uintptr_t pc) { return (pc ^ (pc >> 9)) % 512; }

  std::array<Own, 512> own_{};
  std::array<Gap, 4> gaps_{};
  unsigned next_ = 0;
};

class FrameGuards {
 public:
  struct Hit {
    const Region* variable = nullptr;  // that was missed; null: not known
    std::int64_t offset = 0;           // of the access from the variable's first byte
  };

  FrameGuards() = default;
  explicit FrameGuards(std::vector<GuardedFrame> frames) : frames_(std::move(frames)) {
    for (GuardedFrame& frame : frames_) {
      std::sort(frame.zones.begin(), frame.zones.end(), [](const auto& one, const auto& other) { return one.begin < other.begin; });
      knows_unset_ = knows_unset_ || !frame.unset.empty();
    }
  }

  bool empty() const { return frames_.empty(); }
  bool knows_unset() const { return knows_unset_; }
  const std::vector<GuardedFrame>& frames() const { return frames_; }
  const GuardedFrame* frame_of(std::uintptr_t pc) const {
    for (const GuardedFrame& frame : frames_) {
      if (frame.has(pc)) return &frame;
    }
    return nullptr;
  }
  // An access that begins before the guard has run out of the variable below it. Otherwise it is the nearer one.
  static Hit missed_by(const GuardedFrame& frame, const GuardZone& zone, std::int64_t offset, std::size_t size) {
    const std::int64_t past = offset - zone.begin, before = zone.end - (offset + static_cast<std::int64_t>(size));
    const bool is_past = zone.above < 0 || past <= before;
    const std::ptrdiff_t index = is_past && zone.below >= 0 ? zone.below : zone.above;
    if (index < 0) return {};
    const auto at = static_cast<std::size_t>(index);
    return {&frame.variables[at], offset - frame.begins[at]};
  }

 private:
  std::vector<GuardedFrame> frames_;
  bool knows_unset_ = false;
};

}  // namespace tilelab::simt
