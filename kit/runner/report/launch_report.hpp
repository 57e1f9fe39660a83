// What was seen of a watched launch, for its reply.
#pragma once

#include "executor/observer_list.hpp"
#include "executor/observers/trace_recorder.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace tilelab {

// Replaces addresses in a recorded trace by names from the source: regions become arrays, return addresses become lines.
protocol::Trace named_trace(simt::TraceRecorder& recorded, const Image& image);

// What a launch asked of memory, put into its reply: Nsight Compute's metrics, and counters for which it has no names.
// `answer` has its status already.
void count_traffic(protocol::LaunchReply& answer, const simt::TrafficObservers& traffic, const protocol::LaunchRequest& request,
                   const Image& image);

}  // namespace tilelab
