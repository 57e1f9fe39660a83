// Launches that would do again what they did before, and need not run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/memory/device_memory.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

// What a launch did to the memory of the device: which allocations it read, which it wrote, and whether it read what it wrote. It decides
// nothing: RepeatedLaunches does.

struct LaunchEffects {
  bool are_known = false;  // it completed, and used no memory but what is in `read` and `written`
  bool reads_what_it_writes = false, uses_memory_of_host = false;
  std::vector<const Allocation*> read, written;

  // If it finds the same in what it read, it writes the same, and it has not changed what it read.
  bool can_be_done_again() const { return are_known && !reads_what_it_writes && !uses_memory_of_host; }
};

// `buffers`: what the numbers in the request and in the reply stand for.
LaunchEffects effects_of(const protocol::ProgramMemory& found, const protocol::LaunchReply& reply, const std::vector<Allocation*>& buffers);

// Launches that would do again what they did before. What a launch does depends on what it is asked for and on the memory that it finds,
// and on nothing else. So a launch that is asked for in the same words, and finds the same bytes and the same marks in all memory, need
// not run: its reply is known, and so is the memory that it leaves. Programs that measure a kernel repeat it hundreds of times.
//
// All bytes are compared, and no hash of them. Nothing is kept of a launch that takes about as long as a copy of the memory. And no byte
// is compared where it is known which launch used which memory: one that read nothing of what it wrote finds what it read before, and has
// left already what it would write, as long as nobody else wrote to either.

class RepeatedLaunches {
 public:
  // `most_bytes`: of memory that may be kept; 0: every launch runs.
  RepeatedLaunches(DeviceMemory& memory, std::size_t most_bytes) : memory_(memory), most_bytes_(most_bytes) {}

  // `request`: all that the launch is asked for, with the addresses of all memory. The reply, if it did the same before: then memory is
  // what it left there. Null: it must run, and ran() is told what came of it. The reply stays until the next call.
  const protocol::LaunchReply* again(const std::string& request);
  // `took`: the time of the launch that again() was asked about last. `effects`: what it did to memory.
  void ran(const protocol::LaunchReply& reply, std::chrono::nanoseconds took, const LaunchEffects& effects = {});
  // Something other than a launch may have written to memory of the device.
  void memory_may_change();

 private:
  static constexpr std::size_t most_known = 64, longest_request = 1u << 18;
  static constexpr int most_in_vain = 4;  // copies of memory in a row that no later launch found
  struct Part {                           // of memory, as the launch found it, and what it changed
    char* at = nullptr;
    std::size_t bytes = 0;
    std::unique_ptr<char[]> before;
    std::vector<std::pair<std::size_t, std::string>> changes;  // where, and the bytes
  };
  struct Known {
    std::string request;
    std::chrono::nanoseconds took{};
    std::vector<Part> parts;  // empty: nothing is kept
    std::size_t kept = 0;     // bytes
    int in_vain = 0;
    std::uint64_t same_at = 0;  // the version at which memory was last found to be as it is here; 0: it never was, or the launch changes it
    bool is_seen_by_host = false;  // some of it: the host writes there without a word
    std::uint64_t ran_at = 0;      // the version that its last run made
    LaunchEffects effects;         // of that run
    protocol::LaunchReply reply;
  };

  const protocol::LaunchReply* must_run();
  bool left_it_so(const Known& one) const;
  std::uint64_t changed_at(const Allocation* one) const;
  bool is_worth_it(const Known& one);
  void keep(Known& one);
  void forget(Known& one);
  static void keep_changes(Part& part);

  DeviceMemory& memory_;
  std::size_t most_bytes_, kept_ = 0;
  std::list<Known> known_;  // the one asked for last is the first
  bool runs_ = false;       // the first of them
  std::uint64_t version_ = 1;
  std::uint64_t all_changed_ = 1, before_run_ = 1;  // versions of the last changes of which it is not known where they were
  std::unordered_map<const Allocation*, std::uint64_t> changed_at_;  // versions of later changes by launches
};

}  // namespace tilelab::program
