#include "protocol/texture_message.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

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

using nlohmann::json;
using strict::enumerator;
using strict::integer;
using strict::list;

namespace {
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
    if (border.size() != one.border.size()) strict::refuse(value, "four numbers of a border");
    std::transform(border.begin(), border.end(), one.border.begin(), number_from);
  }
  if (!value.contains("levels")) return;
  const auto& levels = list(value.at("levels"));
  if (levels.size() != 5) strict::refuse(value, "five values of levels");
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
  if (list(value).size() != 5) strict::refuse(value, "five values of a texture");
  one = {.place = integer<std::size_t>(value[0]),
         .generation = integer<std::uint32_t>(value[1]),
         .address = integer<std::uintptr_t>(value[2]),
         .buffer = {},
         .description = value[4].get<TextureDescription>()};
  if (!value[3].is_null()) one.buffer = integer<std::size_t>(value[3]);
  if (one.place >= simt::most_texture_objects) strict::refuse(value, "a texture at a possible place");
}

}  // namespace tilelab::protocol
