#include "program/broker.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "judge/process/runner_process.hpp"
#include "program/host_process.hpp"
#include "program/session.hpp"
#include "protocol/json/json_text.hpp"
#include "runner/child_end.hpp"

namespace tilelab::program {
namespace {

using nlohmann::json;

constexpr int frame_timeout_ms = 10'000;                   // a request that has begun is whole before that
constexpr const char* processor_limit = "processor-time";  // which limit a program met
constexpr const char* idle_limit = "idle";
// What the library may say that it found by itself.
constexpr const char* notable[] = {"leak",           "copy-size",   "copy-direction", "device-pointer-on-host", "host-pointer-on-device",
                                   "use-after-free", "double-free", "bad-free",       "read-before-sync",       "swapped-sizes",
                                   "not-configured", "file-refused"};

// What the record says of a limit that the program met: in milliseconds or bytes; 0: nobody said how much.
json met(const ProgramLimits& limits, const std::string& limit, std::uint64_t calls = 0) {
  const std::uint64_t most = limit == "memory"          ? limits.host_bytes
                             : limit == "file-size"     ? limits.file_bytes
                             : limit == processor_limit ? limits.host_clock_ms
                             : limit == idle_limit      ? limits.idle_ms
                                                        : limits.wall_ms;
  return {{"limit", limit}, {"most", most}, {"calls", calls}};
}

// Calls that need nothing but the session.
const std::map<std::string, Call*> plain_calls = {
    {"allocate", allocate}, {"free", free_memory}, {"array", array},   {"texture", texture},       {"pointer", pointer},
    {"stream", stream},     {"event", event},      {"device", device}, {"last_error", last_error}, {"touch", touch},
    {"copy", copy},         {"fill", fill},        {"symbol", symbol}, {"chunk", chunk},           {"kernel", kernel},
    {"launch", launch},     {"operands", operands}};

// Calls that make something, which a device that a kernel has broken does no longer. The others know that error themselves.
const std::set<std::string> making_calls = {"allocate", "array", "texture", "symbol"};

// Whether the call writes to no memory of the device. A launch does, but it is known what.
bool leaves_memory(const HostRequest& request) {
  const std::string& op = request.op();
  if (op == "device") return request.text("what", 32) == "synchronize";
  return op == "launch" || op == "stream" || op == "event" || op == "last_error" || op == "kernel" || op == "texture";
}

class Broker {
 public:
  explicit Broker(ProgramDescription description) : session_(std::move(description)) {}

  void run(const std::atomic<bool>& stop) {
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(std::min<std::uint64_t>(session_.description.limits.wall_ms, 86'400'000));
    place_operands(session_);
    HostProcess process(session_.description.host_argv);
    const auto limited = [](std::uint64_t ms) { return std::chrono::milliseconds(std::min<std::uint64_t>(ms, 86'400'000)); };
    HostClock clock(process.pid(), limited(session_.description.limits.host_clock_ms), limited(session_.description.limits.idle_ms));
    session_.staging = process.staging();
    session_.deadline = deadline;
    try {
      serve(process, clock, deadline, stop);
    } catch (const BrokenRules& error) {
      session_.record.end("garbled", {{"detail", judge::tame(error.what(), 300)}});
    } catch (const RunOver&) {
      if (stop) session_.record.stopped();
    } catch (const ChannelClosed&) {  // it has ended, or closed its socket
    } catch (const ChannelReset&) {
    } catch (const ChannelError& error) {
      session_.record.end("garbled", {{"detail", judge::tame(error.what(), 300)}});
    }
    if (!session_.transfer_log.is_whole()) session_.record.moved_too_much();
    if (!session_.record.has_ended()) note_end(process, clock, deadline);
    process.kill();
    session_.transfer_log.close();
    session_.reads.close();
    session_.record.learned(session_.reads.learned());
  }
  nlohmann::json report() const { return session_.record.report(session_.errors); }

 private:
  using Clock = HostProcess::Clock;
  void serve(HostProcess& process, HostClock& clock, Clock::time_point deadline, const std::atomic<bool>& stop) {
    for (;;) {
      if (stop) return session_.record.end("stopped");
      if (Clock::now() >= deadline) return;  // also of a program that always asks for something
      if (clock.is_over()) return session_.record.end("timeout", met(session_.description.limits, processor_limit));
      if (clock.is_idle()) return session_.record.end("timeout", met(session_.description.limits, idle_limit));
      switch (process.wait(std::min(deadline, clock.next_look()))) {
        case HostProcess::Wake::ended: return;
        case HostProcess::Wake::deadline:  // perhaps only of another look at its clock
        case HostProcess::Wake::interrupted: continue;
        case HostProcess::Wake::request: break;
      }
      ++calls_;
      const Frame frame = process.channel().receive(frame_timeout_ms);
      const Reply reply = answer(HostRequest(frame.text));
      process.channel().send(json_text(reply.value), reply.descriptors);
      clock.heard_of_it();
    }
  }
  Reply answer(const HostRequest& request) {
    const std::string& op = request.op();
    if (session_.transfer && op != "touch" && op != "chunk") throw BrokenRules("a request in the middle of a copy");
    if (session_.errors.sticky() != 0 && making_calls.contains(op)) return reply_of(session_.errors.sticky());
    if (!leaves_memory(request)) session_.runners.memory_may_change();
    if (session_.plan && (op == "array" || op == "texture")) session_.plan->refuse("it uses textures");
    if (session_.plan && op == "allocate" && request.kind() != MemoryKind::device)
      session_.plan->refuse("it allocates memory that host and GPU share");
    if (const auto plain = plain_calls.find(op); plain != plain_calls.end()) return plain->second(session_, request);
    if (op == "finish") {
      if (session_.description.operands.empty()) throw BrokenRules("the end of a launcher, where there is none");
      finish(session_, request);
      look_for_leaks();
      throw RunOver("the launcher came back");
    }
    return said(request);
  }
  // What needs no device.
  Reply said(const HostRequest& request) {
    const std::string& op = request.op();
    const std::size_t taken = session_.description.limits.taken_bytes;
    if (op == "hello") {
      if (request.number("version") != wire_version) throw BrokenRules("another version of the protocol");
      return {.value = {{"error", 0}, {"memory_bytes", session_.memory.total_bytes() + taken}, {"staging_bytes", staging_bytes}}};
    }
    if (op == "memory")
      return {.value = {{"error", session_.errors.sticky()},
                        {"free", session_.memory.free_bytes() + taken},
                        {"total", session_.memory.total_bytes() + taken}}};
    if (op == "failed")
      return reply_of(session_.errors.fail(judge::tame(request.text("name", 200), 200), request.small("error"), request.at()));
    if (op == "refuse") {  // what the library cannot do here
      session_.record.end("refused", {{"refusal", {{"message", judge::tame(request.text("message", 1000), 1000)}, {"at", request.at()}}}});
      throw RunOver("a call that cannot be made here");
    }
    if (op == "note") {
      const std::string& kind = request.text("kind", 32);
      if (std::ranges::find(notable, kind) == std::end(notable)) throw BrokenRules("a finding of an unknown kind");
      json numbers = json::object();
      for (const char* key : {"address", "bytes", "other_at", "room", "value"}) {
        if (request.has(key)) numbers[key] = request.number(key);
      }
      if (request.has("kernel")) numbers["kernel"] = judge::tame(request.text("kernel"), 4096);
      if (request.has("path")) {
        numbers["path"] = judge::tame(request.text("path", 1000), 1000);
        numbers["write"] = request.flag("write");
        numbers["frames"] = request.numbers("frames", most_frames);
      }
      if (request.has("side")) numbers["side"] = request.text("side", 4) == "from" ? "from" : "to";
      session_.record.host(kind, request.at(), std::move(numbers));
      return reply_of(0);
    }
    if (op == "bye") {
      if (!said_bye_) look_for_leaks();
      said_bye_ = true;
      session_.order.host_waits_for_all();
      return reply_of(0);  // what kernels printed since the host waited last is lost, as on a GPU
    }
    throw BrokenRules("an unknown request '" + judge::tame(op, 32) + "'");
  }
  void look_for_leaks() {
    session_.memory.for_each_live([this](Allocation& one) {
      if (one.kind == MemoryKind::variable || one.operand != nullptr) return;
      look_for_left_out(session_, one);
      json numbers = about(one);
      numbers["address"] = one.address;
      numbers["bytes"] = one.bytes;
      session_.record.host("leak", one.at, std::move(numbers));
    });
  }
  // The program has closed its socket, has ended, or its time is up.
  void note_end(HostProcess& process, HostClock& clock, Clock::time_point deadline) {
    for (;;) {
      const bool is_over = clock.is_over();  // before it is waited for: then nothing of it is left to look at
      if (const auto status = process.status()) {
        const ChildEnd end = how_ended(*status);
        const std::string limit = limit_met(*status);
        if (is_over || limit == processor_limit || (end == ChildEnd::outside && clock.may_be_over()))
          return session_.record.end("timeout", met(session_.description.limits, processor_limit));
        if (end == ChildEnd::outside && !said_bye_) return session_.record.end("internal", {{"detail", "it " + end_in_words(*status)}});
        json more = !limit.empty()           ? met(session_.description.limits, limit)
                    : session_.lacked_memory ? met(session_.description.limits, "memory")
                                             : json::object();
        more["said_bye"] = said_bye_;
        if (!session_.printed.empty()) more["printed"] = session_.printed;  // nobody waited for it
        if (WIFSIGNALED(*status)) {
          more["signal"] = WTERMSIG(*status);
          session_.record.end("signal", std::move(more));
        } else {
          more["status"] = WEXITSTATUS(*status);
          session_.record.end("exit", std::move(more));
        }
        return;
      }
      if (is_over) return session_.record.end("timeout", met(session_.description.limits, processor_limit));
      if (clock.is_idle()) return session_.record.end("timeout", met(session_.description.limits, idle_limit));
      if (Clock::now() >= deadline) return session_.record.end("timeout", met(session_.description.limits, "wall-clock", calls_));
      ::usleep(1000);
    }
  }

  Session session_;
  bool said_bye_ = false;
  std::uint64_t calls_ = 0;  // the program's, so far
};

}  // namespace

json brokered(ProgramDescription description, const std::atomic<bool>& stop) {
  Broker broker(std::move(description));
  broker.run(stop);
  return broker.report();
}

}  // namespace tilelab::program
