// A program's memory is lists of numbers, because it may have thousands of buffers and launch thousands of kernels.
#include "protocol/program_message.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/message_fields.hpp"

namespace tilelab::simt {

NLOHMANN_JSON_SERIALIZE_ENUM(TexelKind, {{TexelKind::floating, "floating"},
                                         {TexelKind::signed_integer, "signed"},
                                         {TexelKind::unsigned_integer, "unsigned"}})
NLOHMANN_JSON_SERIALIZE_ENUM(AddressMode, {{AddressMode::wrap, "wrap"},
                                           {AddressMode::clamp, "clamp"},
                                           {AddressMode::mirror, "mirror"},
                                           {AddressMode::border, "border"}})
TILELAB_ROW(TexelFormat, kind, bytes, components)
TILELAB_ROW(UsedRange, first, end)
TILELAB_ROW(HostConflicts, reads, writes, atomics)

}  // namespace tilelab::simt

namespace tilelab::protocol {

TILELAB_MESSAGE(TextureDescription,
                TILELAB_NEEDS(surface, extents, layers, format, address, linear, normalized, as_float)
                    TILELAB_MAY_HAVE(of, cube, border, pitch, levels, blends_levels, level_bias, least_level, most_level))
TILELAB_ROW(ProgramTexture, place, generation, address, buffer, description)
TILELAB_ROW(ProgramBuffer, name, address, bytes, file, offset, marks, element, element_bytes, named_from, only_read, texels)
TILELAB_ROW(ProgramVariable, symbol, buffer, has_value)
TILELAB_FIELDS(ProgramMemory, TILELAB_NEEDS(buffers, variables) TILELAB_MAY_HAVE(heap, heap_limit, textures, follows_touches))
TILELAB_ROW(BufferUse, buffer, read, written, host)

namespace {

using nlohmann::json;
using strict::refuse;

void check(const json& value, const ProgramBuffer& one, std::uintptr_t from) {
  if (one.file > ProgramFile::shared) refuse(value, "a file of buffers");
  const bool fits = one.bytes > 0 && one.address >= from && one.address < program_end && one.bytes <= program_end - one.address;
  if (!fits || one.address % 4096 != 0) refuse(value, "a buffer in the program's memory, apart from the one before it");
  if (one.offset % program_granularity != 0 || one.element_bytes == 0) refuse(value, "a buffer on whole pages");
}

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

void from_json(const json& value, ProgramMemory& memory) {
  read_fields(value, memory);
  if (memory.buffers.size() > most_program_buffers) refuse(value, "fewer buffers");
  std::uintptr_t from = program_first;
  for (const ProgramBuffer& one : memory.buffers) {
    check(value, one, from);
    from = one.address + one.bytes + program_gap / 2;
  }
  const auto exists = [&memory](std::size_t buffer) { return buffer < memory.buffers.size(); };
  if (memory.heap && (!exists(*memory.heap) || memory.buffers[*memory.heap].bytes < least_heap_bytes))
    refuse(value, "a buffer for the heap");
  if (memory.textures.size() > simt::most_texture_objects) refuse(value, "fewer textures");
  for (const ProgramTexture& one : memory.textures)
    if (one.place >= simt::most_texture_objects || (one.buffer && !exists(*one.buffer))) refuse(value, "textures of buffers");
  if (memory.variables.size() > most_program_variables) refuse(value, "fewer variables");
  for (const ProgramVariable& one : memory.variables)
    if (!exists(one.buffer)) refuse(value, "a variable that has a buffer");
}

}  // namespace tilelab::protocol
