// Raw findings become messages: return addresses become files and lines, offsets become elements, and every finding
// gets the one sentence that says what happened. Works on what the launch left behind; runs nothing.
#pragma once

#include <vector>

#include "runner/image.hpp"
#include "runner/protocol.hpp"
#include "simt/finding_log.hpp"

namespace tilelab {

struct LaunchGeometry {
  protocol::Extent grid, block;
};

// One finding per kind, array and pair of source lines, errors first, then by line; at most 64.
std::vector<protocol::Finding> finding_messages(const std::vector<simt::RawFinding>& raw, const Image& image,
                                                const LaunchGeometry& geometry);

}  // namespace tilelab
