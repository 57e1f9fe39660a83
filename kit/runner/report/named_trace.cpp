#include "runner/report/named_trace.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <tuple>

namespace tilelab {
namespace {

using protocol::Trace;
using protocol::TracedStep;

const char* space_name(simt::Space space) {
  switch (space) {
    case simt::Space::global: return "global";
    case simt::Space::shared: return "shared";
    case simt::Space::module: break;
  }
  return "module";
}

// The entries of a table without repetition, in the order of first use.
template <class Key, class Entry>
class Numbered {
 public:
  explicit Numbered(std::vector<Entry>& entries) : entries_(entries) {}
  template <class Make>
  std::uint32_t number(const Key& key, Make make) {
    const auto [found, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(entries_.size()));
    if (fresh) entries_.push_back(make());
    return found->second;
  }

 private:
  std::vector<Entry>& entries_;
  std::map<Key, std::uint32_t> numbers_;
};

protocol::TracedPlace place_of(std::uintptr_t pc, const Image& image) {
  protocol::TracedPlace place;
  if (const CodeLine* line = image.line_at(pc)) {
    place.line = line->line;
    if (line->file < image.files.size()) place.file = std::filesystem::path(image.files[line->file]).filename().string();
  }
  if (const CodeFunction* function = image.function_at(pc)) place.function = function->name;
  return place;
}

std::string exchanged(const simt::TraceStep& step) {
  switch (step.type) {
    case simt::ExchangedType::floating: return step.bytes == 8 ? "double" : "float";
    case simt::ExchangedType::whole: return step.bytes == 8 ? "long long" : "int";
    case simt::ExchangedType::natural: return step.bytes == 8 ? "unsigned long long" : "unsigned";
    case simt::ExchangedType::bits: break;
  }
  return "";
}

protocol::TracedArray array_of(const simt::Region& region) {
  return {.name = region.name,
          .space = space_name(region.space),
          .element = region.element,
          .element_bytes = region.element_bytes,
          .dimensions = region.dimensions,
          .base = region.base % protocol::TracedArray::bank_row};
}

}  // namespace

Trace named_trace(simt::TraceRecorder& recorded, const Image& image) {
  Trace trace;
  trace.complete = recorded.complete();
  trace.full = recorded.full();
  Numbered<const simt::Region*, protocol::TracedArray> arrays(trace.arrays);
  Numbered<std::tuple<std::uintptr_t, std::string, std::string>, protocol::TracedPlace> places(trace.places);
  for (const simt::TraceStep& step : recorded.steps()) {
    TracedStep& named = trace.steps.emplace_back();
    named.kind = static_cast<TracedStep::Kind>(step.kind);
    named.thread = step.thread;
    named.interval = step.interval;
    if (step.region != nullptr) named.array = arrays.number(step.region, [&] { return array_of(*step.region); });
    named.offset = step.offset;
    named.bytes = step.bytes;
    named.bits = step.bits;
    const bool exchanges = step.kind == simt::TraceStep::Kind::exchange;
    const std::string calls = !exchanges ? "" : *step.function == '\0' ? "a shuffle" : step.function;
    const std::string element = exchanges ? exchanged(step) : "";
    named.place = places.number({step.pc, calls, element}, [&] {
      protocol::TracedPlace place = step.pc == 0 ? protocol::TracedPlace{} : place_of(step.pc, image);
      place.calls = calls;
      place.element = element;
      return place;
    });
    named.slot = step.slot;
    named.part = step.part;
  }
  return trace;
}

}  // namespace tilelab
