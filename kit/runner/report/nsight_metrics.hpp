// Reports counted requests under Nsight Compute's names, for the whole launch and for each source line.
#pragma once

#include <vector>

#include "protocol/traffic_message.hpp"
#include "runner/submission/image.hpp"
#include "simt/observers/request_counter.hpp"

namespace tilelab {

protocol::Traffic nsight_metrics(const std::vector<simt::RequestTally>& tallies, bool complete, const Image& image);

}  // namespace tilelab
