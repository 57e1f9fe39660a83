// The program's calls about order and errors: streams, events, waiting, the last error.
#include <chrono>
#include <optional>
#include <utility>

#include "program/session.hpp"

namespace tilelab::program {
namespace {

Reply created(Session& session, const HostRequest& request, const char* what, const std::optional<std::uint64_t>& made) {
  if (!made && request.flag("hidden")) return reply_of(static_cast<int>(CudaError::memory_allocation));
  if (!made) return session.fail(what, CudaError::memory_allocation, request.at());
  return {.value = {{"error", session.errors.sticky()}, {what, *made}}};
}

}  // namespace

Reply stream(Session& session, const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  const std::uint64_t at = request.at();
  if (what == "create") {
    const auto made = session.order.create_stream(!request.flag("nonblocking"));
    if (session.plan && made) session.plan->add({{"op", "stream"}, {"stream", *made}, {"nonblocking", request.flag("nonblocking")}});
    return created(session, request, "stream", made);
  }
  const std::uint64_t stream = request.number("stream");
  if (!session.order.knows_stream(stream)) return session.fail("stream " + what, CudaError::invalid_handle, at);
  if (what == "destroy") {
    if (!session.order.destroy_stream(stream)) return session.fail("stream destroy", CudaError::invalid_handle, at);
    return reply_of(session.errors.sticky());
  }
  if (what == "wait") {
    const std::uint64_t event = request.number("event");
    if (!session.order.knows_event(event)) return session.fail("stream wait", CudaError::invalid_handle, at);
    session.order.wait(stream, event);
    if (session.plan) session.plan->add({{"op", "wait"}, {"stream", stream}, {"event", event}});
    return reply_of(session.errors.sticky());
  }
  if (what != "synchronize" && what != "query") throw BrokenRules("an unknown call of streams");
  session.order.host_waits_for_stream(stream);
  if (session.plan) session.plan->join(stream);
  return session.arrive(at);
}

Reply event(Session& session, const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  const std::uint64_t at = request.at();
  if (what == "create") return created(session, request, "event", session.order.create_event());
  const std::uint64_t event = request.number("event");
  if (!session.order.knows_event(event)) return session.fail("event " + what, CudaError::invalid_handle, at);
  if (what == "destroy") {
    session.order.destroy_event(event);
    session.recorded.erase(event);
    return reply_of(session.errors.sticky());
  }
  if (what == "record") {
    const std::uint64_t stream = request.number_or("stream", 0);
    if (!session.order.knows_stream(stream)) return session.fail("event record", CudaError::invalid_handle, at);
    session.order.record(event, stream);
    if (session.plan) session.plan->add({{"op", "record"}, {"stream", stream}, {"event", event}});
    session.recorded[event] = std::chrono::steady_clock::now();
    return reply_of(session.errors.sticky());
  }
  if (what == "elapsed") {
    const auto start = session.recorded.find(event), end = session.recorded.find(request.number("other"));
    if (start == session.recorded.end() || end == session.recorded.end())
      return session.fail("event elapsed", CudaError::invalid_handle, at);
    if (!session.order.host_has_seen(event) || !session.order.host_has_seen(request.number("other")))
      return session.fail("event elapsed", CudaError::not_ready, at);
    const std::chrono::duration<double, std::milli> passed = end->second - start->second;
    return {.value = {{"error", session.errors.sticky()}, {"milliseconds", passed.count()}}};
  }
  if (what != "synchronize" && what != "query") throw BrokenRules("an unknown call of events");
  session.order.host_waits_for_event(event);
  if (session.plan) session.plan->add({{"op", "wait"}, {"event", event}});
  return session.arrive(at);
}

Reply device(Session& session, const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  if (what == "heap limit") {  // not once a kernel has used it
    if (session.memory.heap() != nullptr) return session.fail("limit", CudaError::invalid_value, request.at());
    session.heap_limit = request.number("bytes");
    return reply_of(0);
  }
  if (what != "synchronize" && what != "reset") throw BrokenRules("an unknown call of devices");
  session.order.host_waits_for_all();
  if (session.plan) session.plan->join({});
  Reply reply = session.arrive(request.at());
  if (what == "synchronize") return reply;
  std::vector<Allocation*> all;
  session.memory.for_each_live([&](Allocation& one) {
    if (one.operand != nullptr) {
      nlohmann::json numbers = about(one);
      numbers["what"] = "operand";
      session.record.host("bad-free", request.at(), std::move(numbers));
    } else if (one.kind != MemoryKind::variable) {
      all.push_back(&one);
    }
  });
  for (Allocation* one : all) {
    session.pending.forget(one->address);
    session.memory.release(*one, request.at(), true);
    session.record.freed(*one);
  }
  if (Allocation* const heap = session.memory.heap()) session.memory.release(*heap, request.at(), true);
  session.textures.clear();
  session.errors.reset();
  return reply;
}

Reply last_error(Session& session, const HostRequest& request) { return reply_of(session.errors.last(request.flag("peek"), request.at())); }

Reply touch(Session& session, const HostRequest& request) {
  const std::uint64_t address = request.number("address");
  nlohmann::json numbers = {{"address", address}, {"write", request.flag("write")}};
  if (request.has("frames")) numbers["frames"] = request.numbers("frames", most_frames);
  Allocation* one = session.memory.near(address);
  if (one != nullptr) numbers.update(about(*one));
  const auto act = [](const char* action) { return Reply{.value = {{"error", 0}, {"action", action}}}; };
  if (address >= shared_first && address < memory_end && one != nullptr && one->is_live()) {
    using enum PendingWork::HostTouch;
    const auto touch = request.flag("atomic") ? atomic : request.flag("write") ? write : read;
    if (const auto [use, changes] = session.pending.disturbed(address, touch); use != nullptr) {
      numbers["other_at"] = use->at;
      if (use->kernel != nullptr) numbers["kernel"] = *use->kernel;
      session.record.host(changes ? "read-before-sync" : "write-before-sync", request.at(), std::move(numbers));
    }
    return act("go on");
  }
  if (address < device_first || address >= memory_end) {
    if (!request.has("signal")) return act("stop");
    numbers["signal"] = request.number("signal");
    if (request.has("refused_bytes")) numbers["refused_bytes"] = request.number("refused_bytes");
    for (const char* key : {"block", "elements", "subscript"})
      if (request.has(key)) numbers[key] = request.number(key);
    if (request.has("made_at")) numbers["other_at"] = request.number("made_at");
    session.lacked_memory = request.has("refused_bytes");
    session.record.host("host-crash", request.at(), std::move(numbers));
    return act("stop");
  }
  const bool is_freed = one != nullptr && !one->is_live();
  session.record.host(is_freed && address >= shared_first ? "use-after-free" : "device-pointer-on-host", request.at(), std::move(numbers));
  return act("stop");
}

}  // namespace tilelab::program
