#include "protocol/trace_message.hpp"

#include <algorithm>

#include "protocol/message_fields.hpp"

namespace tilelab::protocol {

TILELAB_MESSAGE(HeldThread, TILELAB_NEEDS(thread, write))
TILELAB_MESSAGE(TraceRequest, TILELAB_NEEDS(block) TILELAB_MAY_HAVE(beside, held))
TILELAB_FIELDS(TracedArray, TILELAB_NEEDS(name, space, element, element_bytes, dimensions, base))
TILELAB_MESSAGE(TracedPlace, TILELAB_NEEDS(file, function, line, calls, element))
TILELAB_ROW(TracedStep, kind, thread, interval, array, offset, bytes, bits, place, slot, part)
TILELAB_FIELDS(Trace, TILELAB_NEEDS(arrays, places, steps, complete, full))
TILELAB_MESSAGE(LineTraffic, TILELAB_NEEDS(file, line, metrics))
TILELAB_FIELDS(Traffic, TILELAB_NEEDS(metrics, lines, complete))

namespace {

using nlohmann::json;
using strict::refuse;

constexpr std::size_t most_arrays = 256, most_places = 4096, most_dimensions = 8, most_metrics = 64;
constexpr std::size_t most_element_bytes = std::size_t{1} << 29;
constexpr std::uint32_t most_threads = 2 * 1024, lanes = 32;  // of two blocks

void check(const json& value, const TracedStep& step, const Trace& trace) {
  if (step.kind > TracedStep::Kind::exchange) refuse(value, "a known kind of step");
  const bool exchanges = step.kind == TracedStep::Kind::exchange;
  const bool sized = step.bytes == 1 || step.bytes == 2 || step.bytes == 4 || step.bytes == 8;
  if (step.thread >= most_threads || step.place >= trace.places.size()) refuse(value, "a thread and a place that exist");
  if (step.interval > most_trace_steps) refuse(value, "no more barriers than steps");
  if (exchanges && ((!sized && step.bytes != 0) || step.offset < 0 || step.offset >= lanes)) refuse(value, "a value of a lane");
  if (step.is_access() && (!sized || step.array >= trace.arrays.size())) refuse(value, "an element of an array that exists");
}

}  // namespace

void from_json(const json& value, TracedArray& array) {
  read_fields(value, array);
  if (array.space != "global" && array.space != "shared" && array.space != "module") refuse(value, "a memory space");
  if (array.base >= TracedArray::bank_row) refuse(value, "a place in a row of banks");
  if (array.element_bytes == 0 || array.element_bytes > most_element_bytes || array.dimensions.size() > most_dimensions)
    refuse(value, "elements with a size");
  if (std::ranges::find(array.dimensions, 0u) != array.dimensions.end()) refuse(value, "dimensions that are not empty");
}

void from_json(const json& value, Trace& trace) {
  if (value.at("steps").size() > most_trace_steps) refuse(value, "a shorter list");  // before it takes memory
  read_fields(value, trace);
  if (trace.arrays.size() > most_arrays || trace.places.size() > most_places) refuse(value, "a shorter list");
  for (const TracedStep& step : trace.steps) check(value, step, trace);
}

void from_json(const json& value, Traffic& traffic) {
  read_fields(value, traffic);
  const auto has_too_many = [](const LineTraffic& one) { return one.metrics.size() > most_metrics; };
  if (traffic.metrics.size() > most_metrics || std::ranges::any_of(traffic.lines, has_too_many)) refuse(value, "fewer metrics");
  if (traffic.lines.size() > most_traffic_lines) refuse(value, "fewer lines");
}

}  // namespace tilelab::protocol
