#include "program/session.hpp"

#include <utility>

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
  numbers["other_at"] = conflict->at;
  numbers["kernel"] = use.kernel != nullptr ? *use.kernel : *conflict->kernel;
  numbers["kernel_is_later"] = use.kernel != nullptr;
  numbers["writes"] = use.writes;
  numbers["other_writes"] = conflict->writes;
  record.host("copy-race", use.at, std::move(numbers));
}

}  // namespace tilelab::program
