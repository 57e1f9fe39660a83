// Guards in frames, and the variables that an access to one of them has missed.
#include "simt/submission/frame_guards.hpp"

#include <algorithm>
#include <iterator>

namespace tilelab::simt {

FrameGuards::FrameGuards(std::vector<GuardedFrame> frames) : frames_(std::move(frames)) {
  for (GuardedFrame& frame : frames_) {
    std::sort(frame.zones.begin(), frame.zones.end(), [](const auto& one, const auto& other) { return one.begin < other.begin; });
    frame.sizes_from.resize(frame.zones.size());
    std::int64_t sum = 0;
    for (std::size_t i = frame.zones.size(); i-- > 0;) frame.sizes_from[i] = sum += frame.zones[i].end - frame.zones[i].begin;
    knows_unset_ = knows_unset_ || !frame.unset.empty();
  }
}

GuardedFrame::Look GuardedFrame::look(std::int64_t offset, std::size_t size) const {
  const auto above = std::partition_point(zones.begin(), zones.end(), [offset](const GuardZone& zone) { return zone.begin < offset; });
  Look found;
  if (above != zones.begin()) {
    found.begin = std::prev(above)->end;
    if (offset < *found.begin) found.zone = &*std::prev(above);
  }
  if (above == zones.end()) return found;
  found.end = above->begin;
  if (found.zone == nullptr && offset + static_cast<std::int64_t>(size) > *found.end) found.zone = &*above;
  found.bytes_above = sizes_from[static_cast<std::size_t>(above - zones.begin())];
  return found;
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
