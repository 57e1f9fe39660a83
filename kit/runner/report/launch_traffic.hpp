// What a launch asked of memory, put into its reply: Nsight Compute's metrics, and counters for which it has no names.
#pragma once

#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"
#include "simt/traffic_panel.hpp"

namespace tilelab {

// `answer` has its status already.
void count_traffic(protocol::LaunchReply& answer, const simt::TrafficPanel& traffic, const protocol::LaunchRequest& request,
                   const Image& image);

}  // namespace tilelab
