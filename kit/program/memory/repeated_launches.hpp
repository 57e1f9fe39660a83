// Launches that would do again what they did before, and need not run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <new>
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
inline LaunchEffects effects_of(const protocol::ProgramMemory& found, const protocol::LaunchReply& reply,
                                const std::vector<Allocation*>& buffers) {
  LaunchEffects effects;
  // A variable without a value gets its first one. What a kernel allocates, a string that it prints, and writes to memory that it may only
  // read, which are findings, are written down nowhere.
  const auto has_value = [](const protocol::ProgramVariable& one) { return one.has_value; };
  effects.are_known = reply.status == protocol::Status::completed && !reply.left_data && reply.printed.empty() && reply.findings.empty() &&
                      !found.heap.has_value() && std::ranges::all_of(found.variables, has_value);
  const auto is_of_host = [](const Allocation& one) { return one.file() != protocol::ProgramFile::device; };
  for (const protocol::ProgramVariable& one : found.variables) {
    effects.read.push_back(buffers.at(one.buffer));
    effects.uses_memory_of_host |= is_of_host(*buffers[one.buffer]);
  }
  for (const protocol::BufferUse& use : reply.uses) {
    const Allocation* const one = buffers.at(use.buffer);
    const bool is_read = use.read.first < use.read.end, is_written = use.written.first < use.written.end;
    const bool is_variable = std::ranges::find(effects.read, one) != effects.read.end();
    if (is_read) effects.read.push_back(one);
    if (is_written) effects.written.push_back(one);
    effects.reads_what_it_writes |=
        is_written && (is_variable || (is_read && use.read.first < use.written.end && use.written.first < use.read.end));
    effects.uses_memory_of_host |= is_of_host(*one);
  }
  return effects;
}

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
  const protocol::LaunchReply* again(const std::string& request) {
    runs_ = most_bytes_ != 0 && request.size() <= longest_request;
    if (!runs_) return must_run();
    const auto found = std::ranges::find(known_, request, &Known::request);
    if (found == known_.end()) {
      if (known_.size() >= most_known) {
        forget(known_.back());
        known_.pop_back();
      }
      known_.emplace_front().request = request;
      return must_run();
    }
    known_.splice(known_.begin(), known_, found);
    Known& one = known_.front();
    runs_ = false;
    if (one.same_at == version_ || left_it_so(one)) return &one.reply;
    const auto is_same = [](const Part& part) { return std::memcmp(part.at, part.before.get(), part.bytes) == 0; };
    if (!one.parts.empty() && std::ranges::all_of(one.parts, is_same)) {
      one.in_vain = 0;
      const bool changes = std::ranges::any_of(one.parts, [](const Part& part) { return !part.changes.empty(); });
      if (changes) memory_may_change();
      if (!changes && !one.is_seen_by_host) one.same_at = version_;
      for (const Part& part : one.parts) {
        for (const auto& [at, bytes] : part.changes) std::memcpy(part.at + at, bytes.data(), bytes.size());
      }
      return &one.reply;
    }
    runs_ = true;
    if (!one.parts.empty()) ++one.in_vain;
    forget(one);
    if (is_worth_it(one)) keep(one);
    return must_run();
  }
  // `took`: the time of the launch that again() was asked about last. `effects`: what it did to memory.
  void ran(const protocol::LaunchReply& reply, std::chrono::nanoseconds took, const LaunchEffects& effects = {}) {
    if (effects.are_known) all_changed_ = before_run_;
    for (const Allocation* written : effects.written) changed_at_[written] = version_;
    if (!runs_) return;
    runs_ = false;
    Known& one = known_.front();
    one.ran_at = version_;
    one.effects = effects;
    one.reply = reply;
    one.took = took;
    if (one.parts.empty()) return;
    if (reply.status != protocol::Status::completed) return forget(one);
    std::size_t changed = 0;
    for (Part& part : one.parts) {
      keep_changes(part);
      for (const auto& change : part.changes) changed += change.second.size();
    }
    one.kept += changed;
    kept_ += changed;
    if (kept_ > most_bytes_) forget(one);
  }
  // Something other than a launch may have written to memory of the device.
  void memory_may_change() {
    all_changed_ = ++version_;
    changed_at_.clear();
  }

 private:
  using nanoseconds = std::chrono::nanoseconds;
  static constexpr std::size_t compared_bytes = 4096;
  static constexpr nanoseconds too_short{10'000'000};  // a launch of this time is done as fast as looked up
  static constexpr nanoseconds for_a_byte{2};          // more than comparing it or keeping it takes
  static std::size_t marks_of(const Allocation& one) { return (one.bytes + 3) / 4; }
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

  // Until ran() is told what the launch did, it may have done anything.
  const protocol::LaunchReply* must_run() {
    before_run_ = std::exchange(all_changed_, ++version_);
    return nullptr;
  }
  // All that it read is as it was before it ran, and all that it wrote as it was afterwards.
  bool left_it_so(const Known& one) const {
    if (!one.effects.can_be_done_again() || all_changed_ >= one.ran_at) return false;
    const auto is_as_found = [&](const Allocation* part) { return changed_at(part) <= one.ran_at; };
    const auto is_as_left = [&](const Allocation* part) { return changed_at(part) == one.ran_at; };
    return std::ranges::all_of(one.effects.read, is_as_found) && std::ranges::all_of(one.effects.written, is_as_left);
  }
  std::uint64_t changed_at(const Allocation* one) const {
    const auto found = changed_at_.find(one);
    return found == changed_at_.end() ? all_changed_ : std::max(found->second, all_changed_);
  }
  bool is_worth_it(const Known& one) {
    std::size_t bytes = 0;
    memory_.for_each_live([&](const Allocation& part) { bytes += part.bytes + marks_of(part); });
    return one.in_vain < most_in_vain && one.took > too_short && bytes <= most_bytes_ && one.took / for_a_byte > static_cast<long>(bytes);
  }
  // Room is made by forgetting what was asked for longest ago.
  void keep(Known& one) {
    const auto add = [&one](char* at, std::size_t bytes) {
      one.parts.push_back({at, bytes, std::make_unique_for_overwrite<char[]>(bytes), {}});
      std::memcpy(one.parts.back().before.get(), at, bytes);
      one.kept += bytes;
    };
    try {
      one.is_seen_by_host = false;
      memory_.for_each_live([&](Allocation& part) {
        one.is_seen_by_host |= part.file() != protocol::ProgramFile::device;
        add(part.content, part.bytes);
        add(reinterpret_cast<char*>(part.marks), marks_of(part));
      });
    } catch (const std::bad_alloc&) {
      one.parts.clear();
      one.kept = 0;
    }
    kept_ += one.kept;
    for (auto other = known_.rbegin(); kept_ > most_bytes_ && other != known_.rend(); ++other) {
      if (&*other != &one) forget(*other);
    }
  }
  void forget(Known& one) {
    kept_ -= one.kept;
    one.kept = 0;
    one.same_at = 0;
    one.parts.clear();
  }
  static void keep_changes(Part& part) {
    for (std::size_t at = 0; at < part.bytes; at += compared_bytes) {
      const std::size_t bytes = std::min(compared_bytes, part.bytes - at);
      if (std::memcmp(part.at + at, part.before.get() + at, bytes) != 0) part.changes.emplace_back(at, std::string(part.at + at, bytes));
    }
  }

  DeviceMemory& memory_;
  std::size_t most_bytes_, kept_ = 0;
  std::list<Known> known_;  // the one asked for last is the first
  bool runs_ = false;       // the first of them
  std::uint64_t version_ = 1;
  std::uint64_t all_changed_ = 1, before_run_ = 1;  // versions of the last changes of which it is not known where they were
  std::unordered_map<const Allocation*, std::uint64_t> changed_at_;  // versions of later changes by launches
};

}  // namespace tilelab::program
