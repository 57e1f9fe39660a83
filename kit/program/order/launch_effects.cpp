// From the ranges of each buffer that a launch used. A variable counts as read as a whole: how a kernel uses it is not written down.
#include "program/order/launch_effects.hpp"

#include <algorithm>

namespace tilelab::program {

LaunchEffects effects_of(const protocol::ProgramMemory& found, const protocol::LaunchReply& reply,
                         const std::vector<Allocation*>& buffers) {
  LaunchEffects effects;
  // A variable without a value gets its first one. What a kernel allocates, a string that it prints, and writes to memory that it may only
  // read, which are findings, are written down nowhere.
  const auto has_value = [](const protocol::ProgramVariable& one) { return one.has_value; };
  effects.are_known = reply.status == protocol::Status::completed && !reply.left_data && reply.printed.empty() && reply.findings.empty() &&
                      !found.heap.has_value() && std::ranges::all_of(found.variables, has_value);
  const auto is_of_host = [](const Allocation& one) { return one.file() != protocol::ProgramFile::device; };
  for (const protocol::ProgramVariable& one : found.variables) {
    effects.read.push_back(buffers.at(one.buffer));
    effects.uses_memory_of_host |= is_of_host(*buffers[one.buffer]);
  }
  for (const protocol::BufferUse& use : reply.uses) {
    const Allocation* const one = buffers.at(use.buffer);
    const bool is_read = use.read.first < use.read.end, is_written = use.written.first < use.written.end;
    const bool is_variable = std::ranges::find(effects.read, one) != effects.read.end();
    if (is_read) effects.read.push_back(one);
    if (is_written) effects.written.push_back(one);
    effects.reads_what_it_writes |=
        is_written && (is_variable || (is_read && use.read.first < use.written.end && use.written.first < use.read.end));
    effects.uses_memory_of_host |= is_of_host(*one);
  }
  return effects;
}

}  // namespace tilelab::program
