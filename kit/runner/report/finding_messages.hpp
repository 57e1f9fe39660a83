// Turns raw findings into messages: return addresses become files and lines, offsets become elements, and every finding gets one
// sentence that says what happened. It works on data that the launch left behind, and runs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/finding_log.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace tilelab {

// A grid that a kernel launched, whose blocks are numbered from `first_block` on.
struct ChildGeometry {
  std::uint64_t first_block = 0;
  protocol::Extent grid, block;
  std::uintptr_t launched_by = 0;
};

struct LaunchGeometry {
  protocol::Extent grid, block;
  std::vector<ChildGeometry> children{};  // by their first blocks
};

// One finding for each kind, array and pair of source lines. Errors come first, then the order is by line. At most 64.
std::vector<protocol::Finding> finding_messages(const std::vector<simt::RawFinding>& raw, const Image& image,
                                                const LaunchGeometry& geometry);

}  // namespace tilelab
