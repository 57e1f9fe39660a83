// Implements run_record.hpp.
#include "program/run_record.hpp"

#include <algorithm>

#include "protocol/json/json_text.hpp"

namespace tilelab::program {

ApiError* ApiErrors::note(const std::string& op, int error, std::uint64_t at) {
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

int ApiErrors::fail(const std::string& op, int error, std::uint64_t at) {
  if (error == 0) return 0;
  last_ = error;
  note(op, error, at);
  return error;
}

void ApiErrors::fail_later(CudaError error, std::uint64_t at) {
  if (sticky_ != 0 || later_ != 0) return;
  later_ = static_cast<int>(error);
  if (const ApiError* noted = note("launch", later_, at)) sticky_is_ = static_cast<std::size_t>(noted - all_.data());
}

int ApiErrors::arrive(std::uint64_t at) {
  if (later_ != 0) {
    sticky_ = last_ = later_;
    later_ = 0;
    if (sticky_is_ < all_.size()) all_[sticky_is_].returned_at = at;
  }
  return sticky_;
}

int ApiErrors::last(bool peek, std::uint64_t at) {
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

void ApiErrors::reset() { last_ = sticky_ = later_ = 0; }

namespace {

using nlohmann::json;

json kind_of(const Allocation& made) {
  if (made.operand != nullptr) return "operand";
  return made.shape && made.shape->is_mipmapped() ? json("mipmapped-array") : json(made.kind);
}

}  // namespace

json* RunRecord::add(std::vector<json>& list, Places& places, const std::string& key, json value, std::size_t most) {
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

void RunRecord::launch(json value, std::uint64_t number) {
  const std::string key = json_text(value);
  if (json* const made = add(launches_, launch_places_, key, std::move(value), most_launches)) (*made)["number"] = number;
}

void RunRecord::finding(const protocol::Finding& finding, const std::string& kernel, std::uint64_t at, std::uint64_t number) {
  json value = finding;
  value.erase("count");
  value.update({{"kernel", kernel}, {"at", at}});
  const std::string key = json_text(value);
  if (json* const made = add(findings_, finding_places_, key, std::move(value), most_findings))
    made->update({{"number", number}, {"count", finding.count}});
}

void RunRecord::host(const std::string& kind, std::uint64_t at, json numbers) {
  const json other = numbers.contains("other_at") ? numbers["other_at"] : json();
  numbers.update({{"kind", kind}, {"at", at}});
  add(host_, host_places_, kind + " " + std::to_string(at) + " " + json_text(other), std::move(numbers), most_findings);
}

void RunRecord::allocation(const Allocation& made, const std::string& name) {
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
}

void RunRecord::freed(const Allocation& one) {
  if (one.index >= allocations_.size()) return;
  allocations_[one.index]["freed_at"] = *one.freed_at;
  allocations_[one.index]["freed_by"] = one.freed_by_reset ? "reset" : "free";
}

void RunRecord::revived(const Allocation& one) {
  if (one.index >= allocations_.size()) return;
  json& known = allocations_[one.index];
  known["freed_at"] = known["freed_by"] = nullptr;
  known.erase("filled");
  known.erase("taken");
}

void RunRecord::filled(const Allocation& one, std::uint64_t at, std::size_t first, std::size_t end) {
  if (one.index >= allocations_.size()) return;
  json& known = allocations_[one.index];
  if (first == 0 && end < one.bytes)
    known["filled"] = {{"at", at}, {"bytes", end}};
  else
    known.erase("filled");
}

void RunRecord::taken(const Allocation& one, std::uint64_t at, std::size_t end) {
  if (one.index >= allocations_.size()) return;
  json& known = allocations_[one.index];
  if (!known.contains("taken") || known["taken"]["bytes"].get<std::size_t>() < end) known["taken"] = {{"at", at}, {"bytes", end}};
}

void RunRecord::count(const std::map<std::string, std::uint64_t>& counters) {
  for (const auto& [name, number] : counters) {
    if (counters_.size() >= most_counters && !counters_.contains(name)) continue;
    std::uint64_t& sum = counters_[name];
    sum = name.starts_with("most_") ? std::max(sum, number) : sum + number;
  }
}

void RunRecord::end(const std::string& how, json more) {
  if (has_ended()) return;
  end_ = std::move(more);
  end_["ended"] = how;
}

json RunRecord::report(const ApiErrors& errors) const {
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

}  // namespace tilelab::program
