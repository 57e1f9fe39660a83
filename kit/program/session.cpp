#include "program/session.hpp"

#include <cstring>
#include <utility>

namespace tilelab::program {

nlohmann::json about(const Allocation& one) {
  nlohmann::json value = {{"allocation", one.index}, {"allocation_bytes", one.bytes}, {"allocation_at", one.at}};
  if (one.was_never_live)
    value["never_allocated"] = true;
  else if (one.freed_at)
    value["other_at"] = *one.freed_at;
  return value;
}

Reply Session::arrive(std::uint64_t at) {
  Reply reply = reply_of(errors.arrive(at));
  if (!printed.empty() || reads.shows()) {
    if (std::string text = reads.printed(std::exchange(printed, {})); !text.empty()) reply.value["printed"] = std::move(text);
  }
  if (const auto done = pending.take_done(); !done.empty() && !reads.shows()) reply.value["unguard"] = done;
  return reply;
}

// Which memory a kernel has written to says something of what it computed: a host that sees another run's numbers is told nothing.
void Session::guard(Reply& reply) {
  const auto guarded = pending.take_guarded();
  if (reads.shows()) return;
  if (!guarded.wholly.empty()) {
    reads.noticed(guarded.wholly.size());
    reply.value["guard"] = guarded.wholly;
  }
  if (guarded.from_writes.empty()) return;
  reads.noticed(guarded.from_writes.size());
  reply.value["guard_writes"] = guarded.from_writes;
}

void Session::use(Allocation& one, const Use& use) {
  const auto conflict = pending.add(one.address, use);
  if (!conflict) return;
  nlohmann::json numbers = about(one);
  const Use& earlier = conflict->earlier;
  const auto& place = conflict->place;
  numbers["other_at"] = earlier.at;
  numbers["kernel"] = use.kernel != nullptr ? *use.kernel : *earlier.kernel;
  numbers["writes"] = place ? place->second_writes : use.writes;
  numbers["other_writes"] = place ? place->first_writes : earlier.writes;
  if (use.graph != 0 && use.graph == earlier.graph) numbers["in_graph"] = true;
  if (use.kernel == nullptr || earlier.kernel == nullptr) {
    numbers["kernel_is_later"] = use.kernel != nullptr;
    return record.host("copy-race", use.at, std::move(numbers));
  }
  numbers["other_kernel"] = *earlier.kernel;
  numbers["element"] = place->byte / use.element_bytes;
  numbers["line"] = place->second_line;
  numbers["other_line"] = place->first_line;
  record.host("launch-race", use.at, std::move(numbers));
}

void Session::show(const Allocation& from, std::size_t first, char* seen, std::size_t bytes, std::uint64_t at) {
  const bool is_operand = from.operand != nullptr && from.file() == protocol::ProgramFile::device;
  std::size_t written = 0;
  if (is_operand) for_each_written_by_kernel(from.marks, first, bytes, [&](std::size_t, std::size_t count) { written += count; });
  if (is_operand && from.is_for_host && written == 0) return;
  reads.copied(at, seen, bytes);
  if (!is_operand || written != 0) return;
  record.read_of_input(bytes);
  if (description.options.withholds_inputs) std::memset(seen, 0, bytes);
}

}  // namespace tilelab::program
