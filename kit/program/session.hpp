// All that the broker knows of a running program: its memory, what is under way, its errors, and what there is to tell afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/memory/device_heap.hpp"
#include "program/host_request.hpp"
#include "program/kernel_runners.hpp"
#include "program/launch_plan.hpp"
#include "program/memory/device_memory.hpp"
#include "program/memory/pending_work.hpp"
#include "program/memory/provenance.hpp"
#include "program/program_description.hpp"
#include "program/run_record.hpp"

namespace tilelab::program {

struct Reply {
  nlohmann::json value = nlohmann::json::object();
  std::vector<int> descriptors{};
};

inline Reply reply_of(int error) { return {.value = {{"error", error}}}; }

// The run cannot go on: RunRecord::end() was told why.
struct RunOver : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A copy whose bytes are under way: the program may ask for nothing else.
struct Transfer {
  Rows rows;
  bool to_device = false;
  std::size_t moved = 0;
  std::uint64_t at = 0, host = 0;  // where the program asked for it; its own memory, 0 for a variable's first value
  std::size_t host_pitch = 0;
  std::uint64_t stream = 0;
};

// What a sentence about an allocation needs.
inline nlohmann::json about(const Allocation& one) {
  nlohmann::json value = {{"allocation", one.index}, {"allocation_bytes", one.bytes}, {"allocation_at", one.at}};
  if (one.was_never_live)
    value["never_allocated"] = true;
  else if (one.freed_at)
    value["other_at"] = *one.freed_at;
  return value;
}

struct Session {
  using Clock = std::chrono::steady_clock;
  explicit Session(ProgramDescription program)
      : description(std::move(program)), memory(description.limits.memory_bytes), transfer_log(description.transfer_log),
        altered(description.altered),
        reads(description.kept_reads, description.shown_reads, description.options.carries, description.options.tagged),
        view(memory, transfer_log, altered, reads), pending(order), runners(description, memory, textures) {
    if (!description.plan.empty()) plan.emplace();
  }

  ProgramDescription description;
  DeviceMemory memory;
  TransferLog transfer_log;
  AlteredInputs altered;
  HostReads reads;
  HostView view;
  StreamOrder order;
  PendingWork pending;
  TextureTable textures;
  KernelRunners runners;
  KernelRunners::Variables variables;
  // A variable has its first value from the host, before any launch: a pointer to a function leads to the host's code then.
  bool has_first_values_of_host = false;
  std::optional<Transfer> transfer;
  std::optional<LaunchPlan> plan;                             // none: kernels run
  char* staging = nullptr;                                    // the memory that the program can write to at any time
  std::vector<Allocation*> operands;                          // of a launcher; null: a scalar
  std::uint64_t launches = 0;                                 // so far
  std::set<std::string> codes;                                // of the kernels that were launched: who shares code is one
  std::map<std::string, std::uint64_t> allowed_shared_bytes;  // of kernels that ask for more than others may have
  Clock::time_point deadline = Clock::time_point::max();      // of the run
  ApiErrors errors;
  std::map<std::uint64_t, Clock::time_point> recorded;  // events, when they were
  RunRecord record;
  std::size_t heap_limit = simt::DeviceHeap::usual_bytes;  // of what kernels allocate
  std::string printed;                                     // by kernels, and not handed to the program yet
  std::size_t printed_bytes = 0;                           // in all
  bool lacked_memory = false;                              // the program crashed after it was refused memory of its own

  // The call fails as CUDA's would.
  Reply fail(const std::string& op, CudaError error, std::uint64_t at) { return reply_of(errors.fail(op, error, at)); }
  // The call waits for work: what that work printed and how it ended is known from now on.
  Reply arrive(std::uint64_t at) {
    Reply reply = reply_of(errors.arrive(at));
    if (!printed.empty() || reads.shows()) {
      if (std::string text = reads.printed(std::exchange(printed, {})); !text.empty()) reply.value["printed"] = std::move(text);
    }
    if (const auto done = pending.take_done(); !done.empty() && !reads.shows()) reply.value["unguard"] = done;
    return reply;
  }
  // Remembers a use of memory, and records a race.
  void use(Allocation& one, const Use& use) {
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
  // The host asked at `at` for these bytes and is given `seen`: what they are, or what a judge wants it to see in their place.
  void show(const Allocation& from, std::size_t first, char* seen, std::size_t bytes, std::uint64_t at) {
    const bool is_operand = from.operand != nullptr && from.file() == protocol::ProgramFile::device;
    std::size_t written = 0;
    if (is_operand) for_each_written_by_kernel(from.marks, first, bytes, [&](std::size_t, std::size_t count) { written += count; });
    if (is_operand && from.is_for_host && written == 0) return;
    reads.copied(at, seen, bytes);
    if (!is_operand || written != 0) return;
    record.read_of_input(bytes);
    if (description.options.withholds_inputs) std::memset(seen, 0, bytes);
  }
  // Tells the host which memory it must not touch until work is done.
  // Which memory a kernel has written to says something of what it computed: a host that sees another run's numbers is told nothing.
  void guard(Reply& reply) {
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
};

// The program's calls, each a request with its reply. They throw BrokenRules, and RunOver where the run ends with them.

using Call = Reply(Session& session, const HostRequest& request);

Call allocate, free_memory;  // of arrays too
Call pointer;                // where it leads
Call array;                  // makes a CUDA array, or asks about one
Call texture;                // makes one or a surface, which shows an array or linear memory to kernels, or destroys it
Call copy, fill;             // rows of bytes, of the program's memory or of the device's
Call chunk;                  // the next bytes of a copy
Call symbol;                 // the module's variables, whose first values the host sends
Call kernel, launch;         // what a kernel takes
Call stream, event, device, last_error;
Call touch;  // the program has touched memory that it may not, or not yet
// Memory is freed, or the program ends. Records which elements of managed memory the only launch that wrote there left out, where the host
// has set nothing of it.
void look_for_left_out(Session& session, const Allocation& one);
// The memory of a variable; null: there is no room for it.
ModuleVariable* variable(Session& session, const std::string& name, std::size_t bytes, std::uint64_t at, bool shared = false);

// A launcher's operands: memory that is there before the program starts. Reads what they hold before. Throws std::runtime_error where
// that cannot be read, or there is no room.
void place_operands(Session& session);
// Their addresses and values, in the order of program.json. `count`: how many the program expects.
Call operands;
// The launcher came back: waits for the device, writes down what the operands hold, and ends the run. Throws std::runtime_error.
void finish(Session& session, const HostRequest& request);

}  // namespace tilelab::program
