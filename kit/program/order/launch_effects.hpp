// What a launch did to the memory of the device: which allocations it read, which it wrote, and whether it read what it wrote. It decides
// nothing: RepeatedLaunches does.
#pragma once

#include <vector>

#include "program/memory/device_memory.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

struct LaunchEffects {
  bool are_known = false;  // it completed, and used no memory but what is in `read` and `written`
  bool reads_what_it_writes = false, uses_memory_of_host = false;
  std::vector<const Allocation*> read, written;

  // If it finds the same in what it read, it writes the same, and it has not changed what it read.
  bool can_be_done_again() const { return are_known && !reads_what_it_writes && !uses_memory_of_host; }
};

// `buffers`: what the numbers in the request and in the reply stand for.
LaunchEffects effects_of(const protocol::ProgramMemory& found, const protocol::LaunchReply& reply, const std::vector<Allocation*>& buffers);

}  // namespace tilelab::program
