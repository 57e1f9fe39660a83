// What the host received from the device, put together as it lies in the host's memory, and which of it kernels wrote.
#pragma once

#include <cstddef>
#include <vector>

#include "program_judge/conducted_run.hpp"

namespace tilelab::judge {

struct ReceivedPiece {
  std::vector<std::byte> bytes;
  std::vector<bool> by_kernel;  // of each byte
};

// Pieces of the host's memory without a gap, as the copies left them: a later copy covers an earlier one.
std::vector<ReceivedPiece> received_pieces(const std::vector<CopiedBytes>& copies);

}  // namespace tilelab::judge
