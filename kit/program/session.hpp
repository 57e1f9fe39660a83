// All that the broker knows of a running program: its memory, what is under way, its errors, and what there is to tell afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/memory/device_heap.hpp"
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

struct Session {
  explicit Session(ProgramDescription program)
      : description(std::move(program)), memory(description.limits.memory_bytes), transfer_log(description.transfer_log),
        altered(description.altered),
        reads(description.kept_reads, description.shown_reads, description.options.carries, description.options.tagged),
        view(memory, transfer_log, altered, reads), pending(order) {}

  ProgramDescription description;
  DeviceMemory memory;
  TransferLog transfer_log;
  AlteredInputs altered;
  HostReads reads;
  HostView view;
  StreamOrder order;
  PendingWork pending;
  TextureTable textures;
  ApiErrors errors;
  std::map<std::uint64_t, std::chrono::steady_clock::time_point> recorded;  // events, when they were
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

}  // namespace tilelab::program
