#include "program/session.hpp"

#include <cstring>
#include <utility>

#include "program/value_marks.hpp"

namespace tilelab::program {

nlohmann::json about(const Allocation& one) {
  nlohmann::json value = {{"allocation", one.index}, {"allocation_bytes", one.bytes}, {"allocation_at", one.at}};
  if (one.freed_at) value["other_at"] = *one.freed_at;
  return value;
}

Reply Session::arrive(std::uint64_t at) {
  Reply reply = reply_of(errors.arrive(at));
  if (!printed.empty()) reply.value["printed"] = std::exchange(printed, {});
  if (const auto done = pending.take_done(); !done.empty()) reply.value["unguard"] = done;
  return reply;
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

void Session::hide_input(const Allocation& from, std::size_t first, char* seen, std::size_t bytes) {
  if (from.operand == nullptr || from.is_for_host || from.file() != protocol::ProgramFile::device) return;
  std::size_t written = 0;
  for_each_written_by_kernel(from.marks, first, bytes, [&](std::size_t, std::size_t count) { written += count; });
  if (written != 0) return;
  record.read_of_input(bytes);
  if (description.settings.withholds_inputs) std::memset(seen, 0, bytes);
}

}  // namespace tilelab::program
