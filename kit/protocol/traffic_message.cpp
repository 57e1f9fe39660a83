#include "protocol/traffic_message.hpp"

#include "protocol/strict_json.hpp"

namespace tilelab::protocol {
namespace {

using nlohmann::json;
using strict::integer;
using strict::list;
using strict::text;

constexpr std::size_t most_metrics = 64;

Metrics metrics_from(const json& value) {
  const auto& object = value.get_ref<const json::object_t&>();
  if (object.size() > most_metrics) strict::refuse(value, "fewer metrics");
  Metrics metrics;
  for (const auto& [name, count] : object) metrics[name] = integer<std::uint64_t>(count);
  return metrics;
}

}  // namespace

void to_json(json& value, const Traffic& traffic) {
  value = {{"metrics", traffic.metrics}, {"lines", json::array()}, {"complete", traffic.complete}};
  for (const LineTraffic& one : traffic.lines) {
    value["lines"].push_back({{"file", strict::untrusted(one.file)}, {"line", one.line}, {"metrics", one.metrics}});
  }
}

void from_json(const json& value, Traffic& traffic) {
  traffic = {.metrics = metrics_from(value.at("metrics")), .lines = {}, .complete = value.at("complete").get<bool>()};
  if (list(value.at("lines")).size() > most_traffic_lines) strict::refuse(value, "fewer lines");
  for (const json& one : list(value.at("lines"))) {
    traffic.lines.push_back(
        {.file = text(one.at("file")), .line = integer<int>(one.at("line")), .metrics = metrics_from(one.at("metrics"))});
  }
}

}  // namespace tilelab::protocol
