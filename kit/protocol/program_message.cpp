// A program's memory is lists of numbers, because it may have thousands of buffers and launch thousands of kernels.
#include "protocol/program_message.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "protocol/strict_json.hpp"

namespace tilelab::simt {

NLOHMANN_JSON_SERIALIZE_ENUM(TexelKind, {{TexelKind::floating, "floating"},
                                         {TexelKind::signed_integer, "signed"},
                                         {TexelKind::unsigned_integer, "unsigned"}})
NLOHMANN_JSON_SERIALIZE_ENUM(AddressMode, {{AddressMode::wrap, "wrap"},
                                           {AddressMode::clamp, "clamp"},
                                           {AddressMode::mirror, "mirror"},
                                           {AddressMode::border, "border"}})

}  // namespace tilelab::simt

namespace tilelab::protocol {
namespace {

using nlohmann::json;
using strict::enumerator;
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

// Any float passes as its bits: JSON has no infinities.
std::uint32_t bits(float number) { return std::bit_cast<std::uint32_t>(number); }
float number_from(const json& value) { return std::bit_cast<float>(integer<std::uint32_t>(value)); }

constexpr std::uint32_t most_texels_along = 1u << 28;  // of what CUDA allows in one dimension

}  // namespace

simt::TextureObject object_from(const TextureDescription& description) {
  simt::TextureObject object;
  const auto& [kind, bytes, components] = description.format;
  const bool number = kind == simt::TexelKind::floating ? bytes == 2 || bytes == 4 : bytes == 1 || bytes == 2 || bytes == 4;
  const bool texel = number && (components == 1 || components == 2 || components == 4);
  const std::size_t dimensions = description.extents.size();
  const auto fits = [](std::uint32_t extent) { return extent > 0 && extent <= most_texels_along; };
  const bool shape = dimensions >= 1 && dimensions <= 3 && std::all_of(description.extents.begin(), description.extents.end(), fits) &&
                     description.layers <= most_texels_along && (dimensions < 3 || description.layers == 0);
  const bool cubes =
      !description.cube || (dimensions == 2 && !description.extents.empty() && description.extents[0] == description.extents[1]);
  const bool rows = description.pitch == 0 || description.extents.empty() ||
                    description.pitch >= std::size_t{description.extents.back()} * bytes * components;
  const bool levels = description.levels >= 1 && description.levels <= 32;
  if (!texel || !shape || !cubes || !rows || !levels || description.address.size() != 3)
    throw std::runtime_error("there is no such texture");
  object.surface = description.surface;
  object.dimensions = static_cast<std::uint32_t>(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) object.extent[i] = description.extents[dimensions - 1 - i];
  object.layers = description.layers;
  object.format = description.format;
  std::copy(description.address.begin(), description.address.end(), object.address.begin());
  object.as_float = description.as_float && kind != simt::TexelKind::floating && bytes <= 2;
  object.linear = description.linear && (kind == simt::TexelKind::floating || object.as_float);
  object.normalized = description.normalized;
  object.cube = description.cube;
  object.border = description.border;
  object.pitch = description.pitch;
  object.levels = description.levels;
  object.blends_levels = description.blends_levels;
  object.level_bias = description.level_bias;
  object.least_level = description.least_level;
  object.most_level = description.most_level;
  return object;
}

void to_json(json& value, const TextureDescription& one) {
  value = {{"surface", one.surface},  {"extents", one.extents},    {"layers", one.layers},
           {"kind", one.format.kind}, {"bytes", one.format.bytes}, {"components", one.format.components},
           {"address", one.address},  {"linear", one.linear},      {"normalized", one.normalized},
           {"as_float", one.as_float}};
  if (one.of) value["of"] = *one.of;
  if (one.cube) value["cube"] = true;
  if (one.border != std::array<float, 4>{})
    value["border"] = {bits(one.border[0]), bits(one.border[1]), bits(one.border[2]), bits(one.border[3])};
  if (one.pitch != 0) value["pitch"] = one.pitch;
  if (one.levels != 1) value["levels"] = {one.levels, one.blends_levels, bits(one.level_bias), bits(one.least_level), bits(one.most_level)};
}

void from_json(const json& value, TextureDescription& one) {
  one = {.surface = value.at("surface").get<bool>(),
         .extents = {},
         .layers = integer<std::uint32_t>(value.at("layers")),
         .format = {enumerator<simt::TexelKind>(value.at("kind")), integer<std::uint32_t>(value.at("bytes")),
                    integer<std::uint32_t>(value.at("components"))},
         .address = {},
         .linear = value.at("linear").get<bool>(),
         .normalized = value.at("normalized").get<bool>(),
         .as_float = value.at("as_float").get<bool>(),
         .of = {},
         .cube = value.contains("cube") && value.at("cube").get<bool>(),
         .border = {}};
  for (const json& extent : list(value.at("extents"))) one.extents.push_back(integer<std::uint32_t>(extent));
  for (const json& mode : list(value.at("address"))) one.address.push_back(enumerator<simt::AddressMode>(mode));
  if (value.contains("of")) one.of = integer<std::size_t>(value.at("of"));
  if (value.contains("pitch")) one.pitch = integer<std::size_t>(value.at("pitch"));
  if (value.contains("border")) {
    const auto& border = list(value.at("border"));
    if (border.size() != one.border.size()) refuse(value, "four numbers of a border");
    std::transform(border.begin(), border.end(), one.border.begin(), number_from);
  }
  if (!value.contains("levels")) return;
  const auto& levels = list(value.at("levels"));
  if (levels.size() != 5) refuse(value, "five values of levels");
  one.levels = integer<std::uint32_t>(levels[0]);
  one.blends_levels = levels[1].get<bool>();
  one.level_bias = number_from(levels[2]);
  one.least_level = number_from(levels[3]);
  one.most_level = number_from(levels[4]);
}

void to_json(json& value, const ProgramTexture& one) {
  value = {one.place, one.generation, one.address, one.buffer ? json(*one.buffer) : json(), one.description};
}

void from_json(const json& value, ProgramTexture& one) {
  if (list(value).size() != 5) refuse(value, "five values of a texture");
  one = {.place = integer<std::size_t>(value[0]),
         .generation = integer<std::uint32_t>(value[1]),
         .address = integer<std::uintptr_t>(value[2]),
         .buffer = {},
         .description = value[4].get<TextureDescription>()};
  if (!value[3].is_null()) one.buffer = integer<std::size_t>(value[3]);
  if (one.place >= simt::most_texture_objects) refuse(value, "a texture at a possible place");
}

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
