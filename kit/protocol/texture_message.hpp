// The part of a request that describes a texture or a surface: how the kernel looks at the memory of an argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "simt/memory/texture_object.hpp"

namespace tilelab::protocol {

struct TextureDescription {
  bool surface = false;
  std::vector<std::uint32_t> extents;  // one to three, slowest first: {48, 64} has 48 rows of 64 texels
  std::uint32_t layers = 0;            // 0: not layered
  simt::TexelFormat format;
  std::vector<simt::AddressMode> address;  // of x, y and z
  bool linear = false, normalized = false, as_float = false;
  std::optional<std::size_t> of;  // the argument whose memory it shows; otherwise its own
  bool cube = false;              // six faces for each layer
  std::array<float, 4> border{};
  std::size_t pitch = 0;  // bytes from one row to the next; 0: rows follow each other
  std::uint32_t levels = 1;
  bool blends_levels = false;
  float level_bias = 0, least_level = 0, most_level = 0;
};

// A texture or a surface that a program's host code made: its handle is made of its place and its generation.
struct ProgramTexture {
  std::size_t place = 0;
  std::uint32_t generation = 0;
  std::uintptr_t address = 0;         // of its first texel
  std::optional<std::size_t> buffer;  // index in ProgramMemory::buffers; nothing: its memory was freed
  TextureDescription description;
};

// What the kernel is passed for the texture or surface at this place among the arguments.
constexpr std::uint64_t texture_handle(std::size_t argument) { return simt::first_texture_handle + argument; }

// Without its memory. Throws std::runtime_error if no texture can be like this.
simt::TextureObject object_from(const TextureDescription& description);

// Reading throws nlohmann::json::exception if the JSON does not have the shape above.
void to_json(nlohmann::json&, const TextureDescription&);
void from_json(const nlohmann::json&, TextureDescription&);
void to_json(nlohmann::json&, const ProgramTexture&);
void from_json(const nlohmann::json&, ProgramTexture&);

}  // namespace tilelab::protocol
