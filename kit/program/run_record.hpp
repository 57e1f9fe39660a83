// What there is to tell after a run: launches, findings, the host's mistakes, and the errors that calls of CUDA returned. Written as
// run.json, which grader/run/programs reads. Every list is limited, because a program may run as long as it wants to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/host_request.hpp"
#include "program/memory/device_memory.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

// The errors that CUDA would have returned: the last one, and one that a kernel leaves behind, which every later call returns.

struct ApiError {
  std::string op;
  int error = 0;
  std::uint64_t at = 0;
  bool seen = false;              // the program asked for the last error afterwards
  std::uint64_t seen_at = 0;      // where it first asked
  std::uint64_t returned_at = 0;  // of a kernel's: the first later call that returned it; 0: none did
  std::uint64_t count = 1;
};

class ApiErrors {
 public:
  // A call fails. Returns the error.
  int fail(const std::string& op, int error, std::uint64_t at);
  int fail(const std::string& op, CudaError error, std::uint64_t at) { return fail(op, static_cast<int>(error), at); }
  // A kernel has failed. Nobody knows before the host waits for it.
  void fail_later(CudaError error, std::uint64_t at);
  // The host waits. Returns the error that a kernel has left behind, or 0.
  int arrive(std::uint64_t at);
  int sticky() const { return sticky_; }
  int last(bool peek, std::uint64_t at = 0);
  void reset();  // the device: what a kernel left behind is gone
  const std::vector<ApiError>& all() const { return all_; }
  bool is_whole() const { return is_whole_; }

 private:
  static constexpr std::size_t most = 1000;
  ApiError* note(const std::string& op, int error, std::uint64_t at);

  std::vector<ApiError> all_;
  int last_ = 0, sticky_ = 0, later_ = 0;
  std::size_t sticky_is_ = most;  // in `all_`
  bool is_whole_ = true;
};

// What there is to tell after a run: launches, findings, the host's mistakes. Written as run.json, which grader/programs reads. Every
// list is limited, because a program may run as long as it wants to.

class RunRecord {
 public:
  // Equal ones are counted. `value` has an "at". `number`: of the first of them.
  void launch(nlohmann::json value, std::uint64_t number);
  void finding(const protocol::Finding& finding, const std::string& kernel, std::uint64_t at, std::uint64_t number);
  void traced(nlohmann::json value) { traced_ = std::move(value); }  // of the launch that was to be followed: all that is known
  // `numbers`: what the sentence needs. Findings of one kind at one place (and with one "other_at") are one.
  void host(const std::string& kind, std::uint64_t at, nlohmann::json numbers);
  void allocation(const Allocation& made, const std::string& name = {});  // name: of a variable or an operand
  void freed(const Allocation& one);
  void revived(const Allocation& one);
  // The host's last copy or fill of this memory, if it does not reach its end.
  void filled(const Allocation& one, std::uint64_t at, std::size_t first, std::size_t end);
  // A copy to the host. Of the bytes before `end`, and the farthest one counts.
  void taken(const Allocation& one, std::uint64_t at, std::size_t end);
  void end(const std::string& how, nlohmann::json more = nlohmann::json::object());
  // Adds the counters of one launch to those before; of what is "most_...", the largest counts. What the busiest thread and block do
  // of each launch add up, as launches come one after another.
  void count(const std::map<std::string, std::uint64_t>& counters);
  void read_of_input(std::size_t bytes) { input_bytes_read_ += bytes; }  // by the host, of what operands held before
  void learned(std::size_t bytes) { bytes_learned_ = bytes; }            // by the host, of whatever is on the device
  void needs_reversed_run() { needs_reversed_run_ = true; }              // of some launch: see protocol::LaunchReply
  void moved_too_much() { end_ = {{"ended", "too-much"}, {"detail", "it moves more than 256 MB between host and device"}}; }
  void stopped() { end_ = {{"ended", "stopped"}}; }  // whatever it was that ended it
  bool has_ended() const { return end_.contains("ended"); }

  nlohmann::json report(const ApiErrors& errors) const;

 private:
  using Places = std::map<std::string, std::size_t>;
  static constexpr std::size_t most_launches = 10'000, most_findings = 1'000, most_allocations = 10'000, most_counters = 200;
  // Null: there is one with this key, which is counted, or there are too many.
  nlohmann::json* add(std::vector<nlohmann::json>& list, Places& places, const std::string& key, nlohmann::json value, std::size_t most);

  std::vector<nlohmann::json> launches_, findings_, host_, allocations_;
  Places launch_places_, finding_places_, host_places_;
  nlohmann::json end_ = nlohmann::json::object(), traced_;
  std::map<std::string, std::uint64_t> counters_;
  std::uint64_t input_bytes_read_ = 0, bytes_learned_ = 0;
  bool needs_reversed_run_ = false;
  bool is_whole_ = true;
};

}  // namespace tilelab::program
