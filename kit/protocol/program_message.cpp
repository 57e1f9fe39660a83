// Lists of numbers, because a program may have thousands of buffers and launch thousands of kernels.
#include "protocol/program_message.hpp"

#include <utility>

#include "protocol/strict_json.hpp"

namespace tilelab::protocol {
namespace {

using nlohmann::json;
using strict::integer;
using strict::list;
using strict::refuse;
using strict::text;

ProgramBuffer buffer_from(const json& value) {
  if (list(value).size() != 11) refuse(value, "eleven values of a buffer");
  const auto file = integer<std::uint8_t>(value[3]);
  if (file > static_cast<std::uint8_t>(ProgramFile::shared)) refuse(value, "a file of buffers");
  std::vector<std::uint32_t> texels;
  for (const json& one : list(value[10])) texels.push_back(integer<std::uint32_t>(one));
  return {.name = text(value[0]),
          .address = integer<std::uintptr_t>(value[1]),
          .bytes = integer<std::size_t>(value[2]),
          .file = static_cast<ProgramFile>(file),
          .offset = integer<std::size_t>(value[4]),
          .marks = integer<std::size_t>(value[5]),
          .element = text(value[6]),
          .element_bytes = integer<std::size_t>(value[7]),
          .named_from = integer<std::size_t>(value[8]),
          .only_read = value[9].get<bool>(),
          .texels = std::move(texels)};
}

void check(const json& value, const ProgramBuffer& one, std::uintptr_t from) {
  const bool fits = one.bytes > 0 && one.address >= from && one.address < program_end && one.bytes <= program_end - one.address;
  if (!fits || one.address % 4096 != 0) refuse(value, "a buffer in the program's memory, apart from the one before it");
  if (one.offset % program_granularity != 0 || one.element_bytes == 0) refuse(value, "a buffer on whole pages");
}

}  // namespace

void to_json(json& value, const ProgramMemory& memory) {
  value = {{"buffers", json::array()}, {"variables", json::array()}};
  for (const ProgramBuffer& one : memory.buffers)
    value["buffers"].push_back({one.name, one.address, one.bytes, static_cast<int>(one.file), one.offset, one.marks, one.element,
                                one.element_bytes, one.named_from, one.only_read, one.texels});
  for (const ProgramTexture& one : memory.textures) value["textures"].push_back(one);
  if (memory.follows_touches) value["follows_touches"] = true;
  if (memory.heap) value["heap"] = {*memory.heap, memory.heap_limit};
  for (const ProgramVariable& one : memory.variables) value["variables"].push_back({one.symbol, one.buffer, one.has_value});
}

void from_json(const json& value, ProgramMemory& memory) {
  memory = {};
  const auto& buffers = list(value.at("buffers"));
  if (buffers.size() > most_program_buffers) refuse(value, "fewer buffers");
  std::uintptr_t from = program_first;
  for (const json& one : buffers) {
    const ProgramBuffer& buffer = memory.buffers.emplace_back(buffer_from(one));
    check(one, buffer, from);
    from = buffer.address + buffer.bytes + program_gap / 2;
  }
  if (value.contains("heap")) {
    const json& heap = list(value.at("heap"));
    if (heap.size() != 2) refuse(value, "the heap's buffer and its limit");
    memory.heap = integer<std::size_t>(heap[0]);
    memory.heap_limit = integer<std::size_t>(heap[1]);
    if (*memory.heap >= memory.buffers.size() || memory.buffers[*memory.heap].bytes < least_heap_bytes)
      refuse(value, "a buffer for the heap");
  }
  if (value.contains("follows_touches")) memory.follows_touches = value.at("follows_touches").get<bool>();
  if (value.contains("textures")) {
    for (const json& one : list(value.at("textures"))) {
      const ProgramTexture& texture = memory.textures.emplace_back(one.get<ProgramTexture>());
      if (memory.textures.size() > simt::most_texture_objects || texture.buffer.value_or(0) > memory.buffers.size())
        refuse(value, "textures of buffers");
    }
  }
  const auto& variables = list(value.at("variables"));
  if (variables.size() > most_program_variables) refuse(value, "fewer variables");
  for (const json& one : variables) {
    if (list(one).size() != 3) refuse(one, "three values of a variable");
    const auto& variable = memory.variables.emplace_back(ProgramVariable{text(one[0]), integer<std::size_t>(one[1]), one[2].get<bool>()});
    if (variable.buffer >= memory.buffers.size()) refuse(one, "a variable that has a buffer");
  }
}

void to_json(json& value, const BufferUse& use) {
  value = {use.buffer};
  const auto add = [&value](const simt::UsedRange& range) {
    value.push_back(range.end == 0 ? 0 : range.first);
    value.push_back(range.end);
  };
  add(use.read);
  add(use.written);
  if (!use.host) return;
  add(use.host->reads);
  add(use.host->writes);
  add(use.host->atomics);
}

void from_json(const json& value, BufferUse& use) {
  const auto range = [&value](std::size_t at) {
    const auto first = integer<std::size_t>(value[at]), end = integer<std::size_t>(value[at + 1]);
    return end == 0 ? simt::UsedRange{} : simt::UsedRange{first, end};
  };
  if (list(value).size() != 5 && value.size() != 11) refuse(value, "five or eleven numbers of a buffer's use");
  use = {.buffer = integer<std::size_t>(value[0]), .read = range(1), .written = range(3)};
  if (value.size() == 11) use.host = simt::HostConflicts{range(5), range(7), range(9)};
}

}  // namespace tilelab::protocol
