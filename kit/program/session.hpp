// All that the broker knows of a running program: its memory, what is under way, its errors, and what there is to tell afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/memory/device_heap.hpp"
#include "program/host_request.hpp"
#include "program/kernel_runners.hpp"
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

// Rows of bytes in one allocation.
struct Rows {
  Allocation* memory = nullptr;  // null: the program's own memory
  std::size_t offset = 0, rows = 0, row_bytes = 0, pitch = 0;
  std::size_t extent() const { return (rows - 1) * pitch + row_bytes; }
};

// A copy whose bytes are under way: the program may ask for nothing else.
struct Transfer {
  Rows rows;
  bool to_device = false;
  std::size_t moved = 0;
  std::uint64_t at = 0, host = 0;  // where the program asked for it; its own memory
  std::size_t host_pitch = 0;
};

struct Session {
  using Clock = std::chrono::steady_clock;
  explicit Session(ProgramDescription program)
      : description(std::move(program)), memory(description.limits.memory_bytes), transfer_log(description.transfer_log),
        altered(description.altered),
        reads(description.kept_reads, description.shown_reads, description.options.carries, description.options.tagged),
        view(memory, transfer_log, altered, reads), pending(order), runners(description, memory, textures) {}

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
  Reply arrive(std::uint64_t at);
  // Remembers a use of memory, and records a race.
  void use(Allocation& one, const Use& use);
  // The host asked at `at` for these bytes and is given `seen`: what they are, or what a judge wants it to see in their place.
  void show(const Allocation& from, std::size_t first, char* seen, std::size_t bytes, std::uint64_t at);
  // Tells the host which memory it must not touch until work is done.
  void guard(Reply& reply);
};

// What a sentence about an allocation needs.
nlohmann::json about(const Allocation& one);

// The program's calls, each a request with its reply. They throw BrokenRules, and RunOver where the run ends with them.

Reply allocate(Session& session, const HostRequest& request);
Reply free_memory(Session& session, const HostRequest& request);  // and arrays
// Where a pointer leads.
Reply pointer(Session& session, const HostRequest& request);
// Makes a CUDA array, or asks about one.
Reply array(Session& session, const HostRequest& request);
// Makes a texture or a surface, which shows an array or linear memory to kernels, or destroys one.
Reply texture(Session& session, const HostRequest& request);

// Rows of bytes, of the program's memory or of the device's.
Reply copy(Session& session, const HostRequest& request);
Reply fill(Session& session, const HostRequest& request);
// The next bytes of a copy.
Reply chunk(Session& session, const HostRequest& request);
// The module's variables, whose first values the host sends.
Reply symbol(Session& session, const HostRequest& request);
// The memory of one; null: there is no room for it.
ModuleVariable* variable(Session& session, const std::string& name, std::size_t bytes, std::uint64_t at, bool shared = false);

// What a kernel takes.
Reply kernel(Session& session, const HostRequest& request);
Reply launch(Session& session, const HostRequest& request);

Reply stream(Session& session, const HostRequest& request);
Reply event(Session& session, const HostRequest& request);
Reply device(Session& session, const HostRequest& request);
Reply last_error(Session& session, const HostRequest& request);
// The program has touched memory that it may not, or not yet.
Reply touch(Session& session, const HostRequest& request);

// A launcher's operands: memory that is there before the program starts. Reads what they hold before. Throws std::runtime_error where
// that cannot be read, or there is no room.
void place_operands(Session& session);
// Their addresses and values, in the order of program.json. `count`: how many the program expects.
Reply operands(Session& session, const HostRequest& request);
// The launcher came back: waits for the device, writes down what the operands hold, and ends the run. Throws std::runtime_error.
void finish(Session& session, const HostRequest& request);

}  // namespace tilelab::program
