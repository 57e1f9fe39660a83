// Bytes of the submission's frames that belong to nobody: the guards that the builder declares around arrays and other locals. And where
// locals lie that a jump may leave without a value. On x86-64 locals lie below the link to the caller's frame; elsewhere: no guards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/region.hpp"

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
  std::vector<Extent> unset;  // locals that get the pattern of an unset value when the function begins: a jump may skip what does that

  bool has(std::uintptr_t pc) const { return pc - 1 - first < end - first; }
  const GuardZone* zone_at(std::int64_t offset, std::size_t size) const;
  std::int64_t bytes_above(std::int64_t offset) const;  // of zones
};

class FrameGuards {
 public:
  struct Hit {
    const Region* variable = nullptr;  // that was missed; null: not known
    std::int64_t offset = 0;           // of the access from the variable's first byte
  };

  FrameGuards() = default;
  explicit FrameGuards(std::vector<GuardedFrame> frames);

  bool empty() const { return frames_.empty(); }
  bool knows_unset() const { return knows_unset_; }
  const std::vector<GuardedFrame>& frames() const { return frames_; }
  const GuardedFrame* frame_of(std::uintptr_t pc) const {
    for (const GuardedFrame& frame : frames_) {
      if (frame.has(pc)) return &frame;
    }
    return nullptr;
  }
  static Hit missed_by(const GuardedFrame& frame, const GuardZone& zone, std::int64_t offset, std::size_t size);

 private:
  std::vector<GuardedFrame> frames_;
  bool knows_unset_ = false;
};

}  // namespace tilelab::simt
