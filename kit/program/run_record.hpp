// What there is to tell after a run: launches, findings, the host's mistakes, and the errors that calls of CUDA returned. Written as
// run.json, which grader/run/programs reads. Every list is limited, because a program may run as long as it wants to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/host_request.hpp"
#include "program/memory/device_memory.hpp"
#include "protocol/json/json_text.hpp"
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
  int fail(const std::string& op, int error, std::uint64_t at) {
    if (error == 0) return 0;
    last_ = error;
    note(op, error, at);
    return error;
  }
  int fail(const std::string& op, CudaError error, std::uint64_t at) { return fail(op, static_cast<int>(error), at); }
  // A kernel has failed. Nobody knows before the host waits for it.
  void fail_later(CudaError error, std::uint64_t at) {
    if (sticky_ != 0 || later_ != 0) return;
    later_ = static_cast<int>(error);
    if (const ApiError* noted = note("launch", later_, at)) sticky_is_ = static_cast<std::size_t>(noted - all_.data());
  }
  // The host waits. Returns the error that a kernel has left behind, or 0.
  int arrive(std::uint64_t at) {
    if (later_ != 0) {
      sticky_ = last_ = later_;
      later_ = 0;
      if (sticky_is_ < all_.size()) all_[sticky_is_].returned_at = at;
    }
    return sticky_;
  }
  int sticky() const { return sticky_; }
  int last(bool peek, std::uint64_t at = 0) {
    const int error = sticky_ != 0 ? sticky_ : last_;
    if (error != 0) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].seen || (later_ != 0 && i == sticky_is_)) continue;
        all_[i].seen = true;
        all_[i].seen_at = at;
      }
    }
    if (!peek) last_ = sticky_;
    return error;
  }
  void reset() { last_ = sticky_ = later_ = 0; }  // the device: what a kernel left behind is gone
  const std::vector<ApiError>& all() const { return all_; }
  bool is_whole() const { return is_whole_; }

 private:
  static constexpr std::size_t most = 1000;
  ApiError* note(const std::string& op, int error, std::uint64_t at) {
    const auto same =
        std::find_if(all_.begin(), all_.end(), [&](const ApiError& one) { return one.op == op && one.error == error && one.at == at; });
    if (same != all_.end()) {
      ++same->count;
      same->seen = false;
      return &*same;
    }
    if (all_.size() >= most) {
      is_whole_ = false;
      return nullptr;
    }
    return &all_.emplace_back(ApiError{.op = op, .error = error, .at = at});
  }

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
  void launch(nlohmann::json value, std::uint64_t number) {
    const std::string key = json_text(value);
    if (json* const made = add(launches_, launch_places_, key, std::move(value), most_launches)) (*made)["number"] = number;
  }
  void finding(const protocol::Finding& finding, const std::string& kernel, std::uint64_t at, std::uint64_t number) {
    json value = finding;
    value.erase("count");
    value.update({{"kernel", kernel}, {"at", at}});
    const std::string key = json_text(value);
    if (json* const made = add(findings_, finding_places_, key, std::move(value), most_findings))
      made->update({{"number", number}, {"count", finding.count}});
  }
  void traced(nlohmann::json value) { traced_ = std::move(value); }  // of the launch that was to be followed: all that is known
  // `numbers`: what the sentence needs. Findings of one kind at one place (and with one "other_at") are one.
  void host(const std::string& kind, std::uint64_t at, nlohmann::json numbers) {
    const json other = numbers.contains("other_at") ? numbers["other_at"] : json();
    numbers.update({{"kind", kind}, {"at", at}});
    add(host_, host_places_, kind + " " + std::to_string(at) + " " + json_text(other), std::move(numbers), most_findings);
  }
  // Elements that the host receives and nobody wrote. `at`: its copy; of managed memory, the launch that left them out.
  void partly_set(const Allocation& one, std::uint64_t at, const UnsetElements& unset) {
    host("partly-set", at,
         {{"allocation", one.index},
          {"kernel", one.writer.kernel != nullptr ? *one.writer.kernel : ""},
          {"other_at", one.writer.at},
          {"launches", one.writer.launches},
          {"element_bytes", unset.element_bytes},
          {"first", unset.first},
          {"run", unset.run},
          {"missing", unset.count},
          {"copied", unset.looked_at},
          {"managed", one.is_untouched},
          {"has_end", unset.has_end}});
  }
  // name: of a variable or an operand
  void allocation(const Allocation& made, const std::string& name = {}) {
    if (made.index != allocations_.size() || allocations_.size() >= most_allocations) {
      is_whole_ = false;
      return;
    }
    allocations_.push_back({{"index", made.index},
                            {"address", made.address},
                            {"bytes", made.bytes},
                            {"at", made.at},
                            {"kind", kind_of(made)},
                            {"freed_at", nullptr},
                            {"freed_by", nullptr}});
    if (!name.empty()) allocations_.back()["name"] = name;
    if (made.pitch != 0) allocations_.back().update({{"pitch", made.pitch}, {"row_bytes", made.row_bytes}});
  }
  void freed(const Allocation& one) {
    if (one.index >= allocations_.size()) return;
    allocations_[one.index]["freed_at"] = *one.freed_at;
    allocations_[one.index]["freed_by"] = one.freed_by_reset ? "reset" : "free";
  }
  void revived(const Allocation& one) {
    if (one.index >= allocations_.size()) return;
    json& known = allocations_[one.index];
    known["freed_at"] = known["freed_by"] = nullptr;
    known.erase("filled");
    known.erase("taken");
  }
  // The host's last copy or fill of this memory, if it does not reach its end, or leaves gaps between rows.
  void filled(const Allocation& one, std::uint64_t at, std::size_t first, std::size_t end, std::size_t row_bytes, std::size_t pitch) {
    if (one.index >= allocations_.size()) return;
    json& known = allocations_[one.index];
    known.erase("filled");
    if (first != 0 || (end >= one.bytes && row_bytes == pitch)) return;
    known["filled"] = {{"at", at}, {"bytes", end}};
    if (row_bytes != pitch) known["filled"].update({{"row_bytes", row_bytes}, {"pitch", pitch}});
  }
  // A copy to the host. Of the bytes before `end`, and the farthest one counts.
  void taken(const Allocation& one, std::uint64_t at, std::size_t end) {
    if (one.index >= allocations_.size()) return;
    json& known = allocations_[one.index];
    if (!known.contains("taken") || known["taken"]["bytes"].get<std::size_t>() < end) known["taken"] = {{"at", at}, {"bytes", end}};
  }
  void end(const std::string& how, nlohmann::json more = nlohmann::json::object()) {
    if (has_ended()) return;
    end_ = std::move(more);
    end_["ended"] = how;
  }
  // Adds the counters of one launch to those before; of what is "most_...", the largest counts. What the busiest thread and block do
  // of each launch add up, as launches come one after another.
  void count(const std::map<std::string, std::uint64_t>& counters) {
    for (const auto& [name, number] : counters) {
      if (counters_.size() >= most_counters && !counters_.contains(name)) continue;
      std::uint64_t& sum = counters_[name];
      sum = name.starts_with("most_") ? std::max(sum, number) : sum + number;
    }
  }
  void read_of_input(std::size_t bytes) { input_bytes_read_ += bytes; }  // by the host, of what operands held before
  void learned(std::size_t bytes) { bytes_learned_ = bytes; }            // by the host, of whatever is on the device
  void needs_reversed_run() { needs_reversed_run_ = true; }              // of some launch: see protocol::LaunchReply
  void moved_too_much() { end_ = {{"ended", "too-much"}, {"detail", "it moves more than 256 MB between host and device"}}; }
  void stopped() { end_ = {{"ended", "stopped"}}; }  // whatever it was that ended it
  bool has_ended() const { return end_.contains("ended"); }

  nlohmann::json report(const ApiErrors& errors) const {
    json value = end_;
    value["launches"] = launches_;
    value["findings"] = findings_;
    value["host"] = host_;
    value["allocations"] = allocations_;
    value["counters"] = counters_;
    if (input_bytes_read_ != 0) value["input_bytes_read"] = input_bytes_read_;
    if (bytes_learned_ != 0) value["bytes_learned"] = bytes_learned_;
    if (needs_reversed_run_) value["needs_reversed_run"] = true;
    if (!traced_.is_null()) value["traced"] = traced_;
    value["errors"] = json::array();
    for (const ApiError& one : errors.all()) {
      json error = {{"op", one.op}, {"error", one.error}, {"at", one.at}, {"seen", one.seen}, {"count", one.count}};
      if (one.seen_at != 0) error["seen_at"] = one.seen_at;
      if (one.returned_at != 0) error["returned_at"] = one.returned_at;
      value["errors"].push_back(std::move(error));
    }
    if (!is_whole_ || !errors.is_whole()) value["truncated"] = true;
    return value;
  }

 private:
  static json kind_of(const Allocation& made) {
    if (made.operand != nullptr) return "operand";
    return made.shape && made.shape->is_mipmapped() ? json("mipmapped-array") : json(made.kind);
  }
  using Places = std::map<std::string, std::size_t>;
  static constexpr std::size_t most_launches = 10'000, most_findings = 1'000, most_allocations = 10'000, most_counters = 200;
  // Null: there is one with this key, which is counted, or there are too many.
  nlohmann::json* add(std::vector<nlohmann::json>& list, Places& places, const std::string& key, nlohmann::json value, std::size_t most) {
    const auto [place, is_new] = places.try_emplace(key, list.size());
    if (!is_new) {
      list[place->second]["count"] = list[place->second]["count"].get<std::uint64_t>() + 1;
      return nullptr;
    }
    if (list.size() >= most) {
      places.erase(place);
      is_whole_ = false;
      return nullptr;
    }
    value["count"] = 1;
    return &list.emplace_back(std::move(value));
  }

  std::vector<nlohmann::json> launches_, findings_, host_, allocations_;
  Places launch_places_, finding_places_, host_places_;
  nlohmann::json end_ = nlohmann::json::object(), traced_;
  std::map<std::string, std::uint64_t> counters_;
  std::uint64_t input_bytes_read_ = 0, bytes_learned_ = 0;
  bool needs_reversed_run_ = false;
  bool is_whole_ = true;
};

}  // namespace tilelab::program
