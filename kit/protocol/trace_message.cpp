#include "protocol/trace_message.hpp"

#include "protocol/strict_json.hpp"

namespace tilelab::protocol {
namespace {

using nlohmann::json;
using strict::integer;
using strict::list;
using strict::text;
using strict::untrusted;

constexpr std::size_t numbers_of_a_step = 10, most_arrays = 256, most_places = 4096, most_dimensions = 8;
constexpr std::size_t most_element_bytes = std::size_t{1} << 29;
constexpr std::uint32_t most_threads = 2 * 1024, lanes = 32;  // of two blocks

json step_json(const TracedStep& step) {
  return {static_cast<unsigned>(step.kind),
          step.thread,
          step.interval,
          step.array,
          static_cast<std::int64_t>(step.offset),
          step.bytes,
          step.bits,
          step.place,
          step.slot,
          step.part};
}

TracedStep step_from(const json& value, const Trace& trace) {
  if (list(value).size() != numbers_of_a_step) strict::refuse(value, "ten numbers");
  const auto kind = integer<std::uint8_t>(value[0]);
  if (kind > static_cast<std::uint8_t>(TracedStep::Kind::exchange)) strict::refuse(value, "a known kind of step");
  const TracedStep step{.kind = static_cast<TracedStep::Kind>(kind),
                        .thread = integer<std::uint32_t>(value[1]),
                        .interval = integer<std::uint32_t>(value[2]),
                        .array = integer<std::uint32_t>(value[3]),
                        .offset = static_cast<std::uint64_t>(integer<std::int64_t>(value[4])),
                        .bytes = integer<std::uint32_t>(value[5]),
                        .bits = integer<std::uint64_t>(value[6]),
                        .place = integer<std::uint32_t>(value[7]),
                        .slot = integer<std::uint32_t>(value[8]),
                        .part = integer<std::uint32_t>(value[9])};
  const bool exchanges = step.kind == TracedStep::Kind::exchange;
  const bool sized = step.bytes == 1 || step.bytes == 2 || step.bytes == 4 || step.bytes == 8;
  if (step.thread >= most_threads || step.place >= trace.places.size()) strict::refuse(value, "a thread and a place that exist");
  if (step.interval > most_trace_steps) strict::refuse(value, "no more barriers than steps");
  if (exchanges && ((!sized && step.bytes != 0) || step.offset >= lanes)) strict::refuse(value, "a value of a lane");
  if (step.is_access() && (!sized || step.array >= trace.arrays.size())) strict::refuse(value, "an element of an array that exists");
  return step;
}

TracedArray array_from(const json& value) {
  TracedArray array{.name = text(value.at("name")),
                    .space = text(value.at("space")),
                    .element = text(value.at("element")),
                    .element_bytes = integer<std::size_t>(value.at("element_bytes")),
                    .dimensions = {},
                    .base = integer<std::size_t>(value.at("base"))};
  if (array.space != "global" && array.space != "shared" && array.space != "module") strict::refuse(value, "a memory space");
  if (array.base >= TracedArray::bank_row) strict::refuse(value, "a place in a row of banks");
  if (array.element_bytes == 0 || array.element_bytes > most_element_bytes || list(value.at("dimensions")).size() > most_dimensions)
    strict::refuse(value, "elements with a size");
  for (const json& one : list(value.at("dimensions"))) {
    array.dimensions.push_back(integer<std::size_t>(one));
    if (array.dimensions.back() == 0) strict::refuse(value, "dimensions that are not empty");
  }
  return array;
}

constexpr std::size_t most_metrics = 64;

Metrics metrics_from(const json& value) {
  const auto& object = value.get_ref<const json::object_t&>();
  if (object.size() > most_metrics) strict::refuse(value, "fewer metrics");
  Metrics metrics;
  for (const auto& [name, count] : object) metrics[name] = integer<std::uint64_t>(count);
  return metrics;
}

}  // namespace

void to_json(json& value, const TraceRequest& request) {
  value = {{"block", request.block}};
  if (request.beside) value["beside"] = *request.beside;
  if (request.held) value["held"] = {{"thread", request.held->thread}, {"write", request.held->write}};
}

void from_json(const json& value, TraceRequest& request) {
  request = {.block = strict::three(value.at("block"))};
  if (value.contains("beside")) request.beside = strict::three(value.at("beside"));
  if (!value.contains("held")) return;
  const json& held = value.at("held");
  request.held = HeldThread{integer<std::uint32_t>(held.at("thread")), integer<std::uint32_t>(held.at("write"))};
}

void to_json(json& value, const Trace& trace) {
  value = {
      {"arrays", json::array()}, {"places", json::array()}, {"steps", json::array()}, {"complete", trace.complete}, {"full", trace.full}};
  for (const TracedArray& array : trace.arrays) {
    value["arrays"].push_back({{"name", untrusted(array.name)},
                               {"space", array.space},
                               {"element", untrusted(array.element)},
                               {"element_bytes", array.element_bytes},
                               {"dimensions", array.dimensions},
                               {"base", array.base}});
  }
  for (const TracedPlace& place : trace.places) {
    value["places"].push_back({{"file", untrusted(place.file)},
                               {"function", untrusted(place.function)},
                               {"line", place.line},
                               {"calls", untrusted(place.calls)},
                               {"element", untrusted(place.element)}});
  }
  json& steps = value["steps"];
  for (const TracedStep& step : trace.steps) steps.push_back(step_json(step));
}

void from_json(const json& value, Trace& trace) {
  trace = {};
  const auto bounded = [&](const char* key, std::size_t most) -> const json::array_t& {
    if (list(value.at(key)).size() > most) strict::refuse(value, "a shorter list");
    return list(value.at(key));
  };
  for (const json& one : bounded("arrays", most_arrays)) trace.arrays.push_back(array_from(one));
  for (const json& one : bounded("places", most_places)) {
    trace.places.push_back({.file = text(one.at("file")),
                            .function = text(one.at("function")),
                            .line = integer<int>(one.at("line")),
                            .calls = text(one.at("calls")),
                            .element = text(one.at("element"))});
  }
  for (const json& one : bounded("steps", most_trace_steps)) trace.steps.push_back(step_from(one, trace));
  trace.complete = value.at("complete").get<bool>();
  trace.full = value.at("full").get<bool>();
}

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
