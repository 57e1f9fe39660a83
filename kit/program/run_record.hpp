// What there is to tell after a run: launches, findings, the host's mistakes. Written as run.json, which grader/run/programs reads. Every
// list is limited, because a program may run as long as it wants to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/api_errors.hpp"
#include "program/memory/device_memory.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

class RunRecord {
 public:
  // Equal ones are counted. `value` has an "at". `number`: of the first of them.
  void launch(nlohmann::json value, std::uint64_t number) { add(launches_, launch_places_, std::move(value), most_launches, number); }
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
  // Adds the counters of one launch to those before; of what is the most of a thread or a block, the largest counts.
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
  void add(std::vector<nlohmann::json>& list, Places& places, nlohmann::json value, std::size_t most, std::uint64_t number);

  std::vector<nlohmann::json> launches_, findings_, host_, allocations_;
  Places launch_places_, finding_places_, host_places_;
  nlohmann::json end_ = nlohmann::json::object(), traced_;
  std::map<std::string, std::uint64_t> counters_;
  std::uint64_t input_bytes_read_ = 0, bytes_learned_ = 0;
  bool needs_reversed_run_ = false;
  bool is_whole_ = true;
};

}  // namespace tilelab::program
