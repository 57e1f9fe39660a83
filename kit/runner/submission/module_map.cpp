#include "runner/submission/module_map.hpp"

#include <algorithm>

#include "simt/submission/submission_data.hpp"

namespace tilelab {
namespace {

simt::Region nameless(std::uintptr_t first, std::uintptr_t end, bool constant) {
  simt::Region bytes;
  bytes.name = "the submission's own data";
  if (constant) bytes.role = simt::BufferRole::input;
  bytes.base = first;
  bytes.bytes = end - first;
  bytes.element = "byte";
  bytes.element_bytes = 1;
  bytes.constant = constant;
  return bytes;
}

}  // namespace

void add_module(const Image& image, simt::MemoryMap& memory, const std::map<std::uintptr_t, simt::ByteMarks*>& marks) {
  for (const simt::DataSection& section : simt::submission_data()) {
    if (section.first == 0 || section.end <= section.first) continue;
    std::uintptr_t next = section.first;
    for (simt::Region variable : image.variables) {
      if (variable.base < next || variable.base >= section.end || variable.bytes > section.end - variable.base) continue;
      if (variable.base > next) memory.add_module(nameless(next, variable.base, section.constant));
      variable.room = std::clamp(variable.room, variable.bytes, section.end - variable.base);
      next = variable.base + variable.room;
      variable.constant = section.constant;
      if (const auto followed = marks.find(variable.base); followed != marks.end()) variable.marks = followed->second;
      if (section.constant) variable.role = simt::BufferRole::input;
      memory.add_module(std::move(variable));
    }
    if (next < section.end) memory.add_module(nameless(next, section.end, section.constant));
  }
}

}  // namespace tilelab
