// Puts counted requests under Nsight Compute's names, for the whole launch and for each source line.
#pragma once

#include <vector>

#include "runner/image.hpp"
#include "runner/traffic_message.hpp"
#include "simt/observers/request_counter.hpp"

namespace tilelab {

protocol::Traffic in_words(const std::vector<simt::RequestTally>& tallies, bool complete, const Image& image);

// What the image knows of the submission's loops and functions.
simt::LoopMap loop_map(const Image& image);

// Whether two instructions belong to one source line.
bool on_one_line(const Image& image, std::uintptr_t one, std::uintptr_t other);

}  // namespace tilelab
