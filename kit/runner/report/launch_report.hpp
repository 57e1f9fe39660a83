// What is told of a launch that has ended. Turns raw findings into messages: return addresses become files and lines, offsets become
// elements, and every finding gets one sentence that says what happened. It works on data that the launch left behind, and runs nothing.
#pragma once

#include <vector>

#include "executor/finding_log.hpp"
#include "executor/observer_list.hpp"
#include "executor/observers/trace_recorder.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace tilelab {

// How a sentence goes on that names the index which an address far away was computed from.
inline constexpr auto far_index_begins = " Its index for ";

struct LaunchGeometry {
  simt::Index3 grid, block;
  std::vector<simt::GridEvent> children{};  // grids that kernels launched, by their first blocks
  const simt::MemoryMap* memory = nullptr;  // for the buffer that a far address was computed from; null: not known
};

// One finding for each kind, array and pair of source lines. Errors come first, then the order is by line. At most 64.
std::vector<protocol::Finding> finding_messages(const std::vector<simt::RawFinding>& raw, const Image& image,
                                                const LaunchGeometry& geometry);

// Replaces addresses in a recorded trace by names from the source: regions become arrays, return addresses become lines.
protocol::Trace named_trace(simt::TraceRecorder& recorded, const Image& image);

// What a launch asked of memory, put into its reply: Nsight Compute's metrics, and counters for which it has no names.
// `answer` has its status already.
void count_traffic(protocol::LaunchReply& answer, const simt::TrafficObservers& traffic, const protocol::LaunchRequest& request,
                   const Image& image);

}  // namespace tilelab
