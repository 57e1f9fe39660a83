// Guards in frames, and the variables that an access to one of them has missed.
#include "simt/frame_guards.hpp"

#include <algorithm>

namespace tilelab::simt {

FrameGuards::FrameGuards(std::vector<GuardedFrame> frames) : frames_(std::move(frames)) {
  for (GuardedFrame& frame : frames_) {
    std::sort(frame.zones.begin(), frame.zones.end(), [](const auto& one, const auto& other) { return one.begin < other.begin; });
    knows_unset_ = knows_unset_ || !frame.unset.empty();
  }
}

const GuardZone* GuardedFrame::zone_at(std::int64_t offset, std::size_t size) const {
  const std::int64_t end = offset + static_cast<std::int64_t>(size);
  for (const GuardZone& zone : zones) {
    if (end <= zone.begin) return nullptr;
    if (offset < zone.end) return &zone;
  }
  return nullptr;
}

std::int64_t GuardedFrame::bytes_above(std::int64_t offset) const {
  std::int64_t sum = 0;
  for (const GuardZone& zone : zones) sum += zone.begin >= offset ? zone.end - zone.begin : 0;
  return sum;
}

// An access that begins before the guard has run out of the variable below it. Otherwise it is the nearer one.
FrameGuards::Hit FrameGuards::missed_by(const GuardedFrame& frame, const GuardZone& zone, std::int64_t offset, std::size_t size) {
  const std::int64_t past = offset - zone.begin, before = zone.end - (offset + static_cast<std::int64_t>(size));
  const bool is_past = zone.above < 0 || past <= before;
  const std::ptrdiff_t index = is_past && zone.below >= 0 ? zone.below : zone.above;
  if (index < 0) return {};
  const auto at = static_cast<std::size_t>(index);
  return {&frame.variables[at], offset - frame.begins[at]};
}

}  // namespace tilelab::simt
