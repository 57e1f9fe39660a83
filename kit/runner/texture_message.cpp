#include "runner/texture_message.hpp"

#include <algorithm>
#include <stdexcept>

#include "runner/strict_json.hpp"

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
constexpr std::uint32_t most_texels_along = 1u << 27;  // of what CUDA allows in one dimension
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
  if (!texel || !shape || description.address.size() != 3) throw std::runtime_error("there is no such texture");
  object.surface = description.surface;
  object.dimensions = static_cast<std::uint32_t>(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) object.extent[i] = description.extents[dimensions - 1 - i];
  object.layers = description.layers;
  object.format = description.format;
  std::copy(description.address.begin(), description.address.end(), object.address.begin());
  object.as_float = description.as_float && kind != simt::TexelKind::floating && bytes <= 2;
  object.linear = description.linear && (kind == simt::TexelKind::floating || object.as_float);
  object.normalized = description.normalized;
  return object;
}

void to_json(json& value, const TextureDescription& one) {
  value = {{"surface", one.surface},  {"extents", one.extents},    {"layers", one.layers},
           {"kind", one.format.kind}, {"bytes", one.format.bytes}, {"components", one.format.components},
           {"address", one.address},  {"linear", one.linear},      {"normalized", one.normalized},
           {"as_float", one.as_float}};
  if (one.of) value["of"] = *one.of;
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
         .of = {}};
  for (const json& extent : list(value.at("extents"))) one.extents.push_back(integer<std::uint32_t>(extent));
  for (const json& mode : list(value.at("address"))) one.address.push_back(enumerator<simt::AddressMode>(mode));
  if (value.contains("of")) one.of = integer<std::size_t>(value.at("of"));
}

}  // namespace tilelab::protocol
