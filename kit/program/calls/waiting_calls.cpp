#include "program/calls/waiting_calls.hpp"

#include <utility>

namespace tilelab::program {
namespace {

constexpr std::size_t most_frames = 16;  // of the program's calls

}  // namespace

Reply WaitingCalls::stream(const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  const std::uint64_t at = request.at();
  if (what == "create") {
    const auto made = session_.order.create_stream(!request.flag("nonblocking"));
    if (!made && request.flag("hidden")) return reply_of(static_cast<int>(CudaError::memory_allocation));
    if (!made) return session_.fail("stream", CudaError::memory_allocation, at);
    return {.value = {{"error", session_.errors.sticky()}, {"stream", *made}}};
  }
  const std::uint64_t stream = request.number("stream");
  if (!session_.order.knows_stream(stream)) return session_.fail("stream " + what, CudaError::invalid_handle, at);
  if (what == "destroy") {
    if (!session_.order.destroy_stream(stream)) return session_.fail("stream destroy", CudaError::invalid_handle, at);
    return reply_of(session_.errors.sticky());
  }
  if (what == "wait") {
    const std::uint64_t event = request.number("event");
    if (!session_.order.knows_event(event)) return session_.fail("stream wait", CudaError::invalid_handle, at);
    session_.order.wait(stream, event);
    return reply_of(session_.errors.sticky());
  }
  if (what != "synchronize" && what != "query") throw BrokenRules("an unknown call of streams");
  session_.order.host_waits_for_stream(stream);
  return session_.arrive(at);
}

Reply WaitingCalls::event(const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  const std::uint64_t at = request.at();
  if (what == "create") {
    const auto made = session_.order.create_event();
    if (!made && request.flag("hidden")) return reply_of(static_cast<int>(CudaError::memory_allocation));
    if (!made) return session_.fail("event", CudaError::memory_allocation, at);
    return {.value = {{"error", session_.errors.sticky()}, {"event", *made}}};
  }
  const std::uint64_t event = request.number("event");
  if (!session_.order.knows_event(event)) return session_.fail("event " + what, CudaError::invalid_handle, at);
  if (what == "destroy") {
    session_.order.destroy_event(event);
    recorded_.erase(event);
    return reply_of(session_.errors.sticky());
  }
  if (what == "record") {
    const std::uint64_t stream = request.number_or("stream", 0);
    if (!session_.order.knows_stream(stream)) return session_.fail("event record", CudaError::invalid_handle, at);
    session_.order.record(event, stream);
    recorded_[event] = Clock::now();
    return reply_of(session_.errors.sticky());
  }
  if (what == "elapsed") {
    const auto start = recorded_.find(event), end = recorded_.find(request.number("other"));
    if (start == recorded_.end() || end == recorded_.end()) return session_.fail("event elapsed", CudaError::invalid_handle, at);
    if (!session_.order.host_has_seen(event) || !session_.order.host_has_seen(request.number("other")))
      return session_.fail("event elapsed", CudaError::not_ready, at);
    const std::chrono::duration<double, std::milli> passed = end->second - start->second;
    return {.value = {{"error", session_.errors.sticky()}, {"milliseconds", passed.count()}}};
  }
  if (what != "synchronize" && what != "query") throw BrokenRules("an unknown call of events");
  session_.order.host_waits_for_event(event);
  return session_.arrive(at);
}

Reply WaitingCalls::device(const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  if (what == "heap limit") {  // not once a kernel has used it
    if (session_.memory.heap() != nullptr) return session_.fail("limit", CudaError::invalid_value, request.at());
    session_.heap_limit = request.number("bytes");
    return reply_of(0);
  }
  if (what != "synchronize" && what != "reset") throw BrokenRules("an unknown call of devices");
  session_.order.host_waits_for_all();
  Reply reply = session_.arrive(request.at());
  if (what == "synchronize") return reply;
  std::vector<Allocation*> all;
  session_.memory.for_each_live([&](Allocation& one) {
    if (one.operand != nullptr) {
      nlohmann::json numbers = about(one);
      numbers["what"] = "operand";
      session_.record.host("bad-free", request.at(), std::move(numbers));
    } else if (one.kind != MemoryKind::variable) {
      all.push_back(&one);
    }
  });
  for (Allocation* one : all) {
    session_.pending.forget(one->address);
    session_.memory.release(*one, request.at(), true);
    session_.record.freed(*one);
  }
  if (Allocation* const heap = session_.memory.heap()) session_.memory.release(*heap, request.at(), true);
  session_.textures.clear();
  session_.errors.reset();
  return reply;
}

Reply WaitingCalls::last_error(const HostRequest& request) { return reply_of(session_.errors.last(request.flag("peek"), request.at())); }

Reply WaitingCalls::touch(const HostRequest& request) {
  const std::uint64_t address = request.number("address");
  nlohmann::json numbers = {{"address", address}, {"write", request.flag("write")}};
  if (request.has("frames")) numbers["frames"] = request.numbers("frames", most_frames);
  Allocation* one = session_.memory.near(address);
  if (one != nullptr) numbers.update(about(*one));
  const auto act = [](const char* action) { return Reply{.value = {{"error", 0}, {"action", action}}}; };
  if (address >= shared_first && address < memory_end && one != nullptr && one->is_live()) {
    using enum PendingWork::HostTouch;
    const auto touch = request.flag("atomic") ? atomic : request.flag("write") ? write : read;
    if (const auto [use, changes] = session_.pending.disturbed(address, touch); use != nullptr) {
      numbers["other_at"] = use->at;
      if (use->kernel != nullptr) numbers["kernel"] = *use->kernel;
      session_.record.host(changes ? "read-before-sync" : "write-before-sync", request.at(), std::move(numbers));
    }
    return act("go on");
  }
  if (address < device_first || address >= memory_end) {
    if (!request.has("signal")) return act("stop");
    numbers["signal"] = request.number("signal");
    if (request.has("refused_bytes")) numbers["refused_bytes"] = request.number("refused_bytes");
    session_.lacked_memory = request.has("refused_bytes");
    session_.record.host("host-crash", request.at(), std::move(numbers));
    return act("stop");
  }
  const bool is_freed = one != nullptr && !one->is_live();
  session_.record.host(is_freed && address >= shared_first ? "use-after-free" : "device-pointer-on-host", request.at(), std::move(numbers));
  return act("stop");
}

}  // namespace tilelab::program
