#include "runner/trace_words.hpp"

#include <filesystem>
#include <map>

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

// Entries of a table, each once, in the order of their first use.
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

protocol::TracedArray array_of(const simt::Region& region) {
  return {.name = region.name,
          .space = space_name(region.space),
          .element = region.element,
          .element_bytes = region.element_bytes,
          .dimensions = region.dimensions};
}

}  // namespace

Trace in_words(const std::vector<simt::TraceStep>& steps, bool complete, const Image& image) {
  Trace trace;
  trace.complete = complete;
  Numbered<const simt::Region*, protocol::TracedArray> arrays(trace.arrays);
  Numbered<std::uintptr_t, protocol::TracedPlace> places(trace.places);
  for (const simt::TraceStep& step : steps) {
    TracedStep& words = trace.steps.emplace_back();
    words.kind = static_cast<TracedStep::Kind>(step.kind);
    words.thread = step.thread;
    words.interval = step.interval;
    if (step.region != nullptr) words.array = arrays.number(step.region, [&] { return array_of(*step.region); });
    words.offset = step.offset;
    words.bytes = step.bytes;
    words.bits = step.bits;
    words.place = places.number(step.pc, [&] { return place_of(step.pc, image); });
  }
  return trace;
}

}  // namespace tilelab
