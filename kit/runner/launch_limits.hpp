// What CUDA refuses to launch on every device: grid, block and shared memory (without opt-in) that are too large.
#pragma once

#include <cstddef>
#include <string>

#include "runner/protocol.hpp"

namespace tilelab {

// Why CUDA would refuse this configuration, as one sentence for the student; empty if it would not. `static_shared_bytes`: the
// size of the shared arrays that the kernel reaches.
std::string launch_refusal(const protocol::LaunchConfig& config, std::size_t static_shared_bytes);

// Why a cooperative launch cannot run its blocks together; empty: it can.
std::string cooperative_refusal(const protocol::LaunchConfig& config, std::size_t static_shared_bytes);

}  // namespace tilelab
