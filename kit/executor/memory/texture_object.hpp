// What a kernel's handle of a texture or a surface stands for: texels in the memory of a buffer, and how they are looked up.
//
// A handle is a number that the submission could invent. So it only names a place in the launch's own list of objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "executor/memory/region.hpp"

namespace tilelab::simt {

enum class TexelKind : std::uint8_t { floating, signed_integer, unsigned_integer };
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct TexelFormat {
  TexelKind kind = TexelKind::floating;
  std::uint32_t bytes = 4;       // of one number: 1, 2 or 4; floating: 2 (a half) or 4
  std::uint32_t components = 1;  // 1, 2 or 4
  std::uint32_t texel_bytes() const { return bytes * components; }
};

// How a kernel looks at texels, wherever they lie.
struct TexelView {
  bool surface = false;
  std::uint32_t layers = 0;  // 0: not layered
  TexelFormat format;
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear = false;            // filters between neighbours
  bool normalized = false;        // coordinates from 0 to 1
  bool as_float = false;          // whole numbers are read as 0 to 1, or -1 to 1
  bool cube = false;              // its slices are the faces of cubes, six for each layer; a cube without layers has layers == 0
  std::array<float, 4> border{};  // what lies outside, where an address mode asks for it
  // Levels of detail: each has half the extents of the one before it, and begins behind it.
  std::uint32_t levels = 1;
  bool blends_levels = false;
  float level_bias = 0, least_level = 0, most_level = 0;
  std::size_t pitch = 0;  // bytes from one row to the next; 0: rows follow each other
};

struct TextureObject : TexelView {
  const Region* region = nullptr;                // null: the launch has no such object
  std::uint32_t dimensions = 1;                  // 1 to 3
  std::array<std::uint32_t, 3> extent{1, 1, 1};  // width, height, depth, in texels
  std::size_t offset = 0;                        // of a whole program: where its texels begin in the region
  std::uintptr_t gone = 0;                       // the region is null: its memory began here, and is freed
  std::uint32_t generation = 0;                  // objects that had this place before have other handles

  bool is_there() const { return region != nullptr || gone != 0; }
  std::uint32_t slices() const { return cube ? 6 * (layers == 0 ? 1 : layers) : layers == 0 ? extent[2] : layers; }
  std::size_t row_bytes() const { return pitch != 0 ? pitch : std::size_t{extent[0]} * format.texel_bytes(); }
  std::size_t texels() const { return std::size_t{extent[0]} * extent[1] * slices(); }
  // From the first texel to the last. A row need not be filled up to the next.
  std::size_t bytes() const {
    return (std::size_t{extent[1]} * slices() - 1) * row_bytes() + std::size_t{extent[0]} * format.texel_bytes();
  }
  std::uintptr_t first_byte() const { return region != nullptr ? region->base + offset : gone; }
  std::uintptr_t address_of(std::uint64_t texel) const {
    if (pitch == 0) return first_byte() + texel * format.texel_bytes();
    return first_byte() + texel / extent[0] * pitch + texel % extent[0] * format.texel_bytes();
  }
};

// Whether a function for so many dimensions may use the object: dimensions in which it has one texel do not matter.
inline bool has_dimensions(const TextureObject& object, std::uint32_t dimensions, bool layered, bool cube) {
  if (cube != object.cube || layered != (object.layers != 0)) return false;
  if (dimensions == object.dimensions) return true;
  if (layered || cube || dimensions == 0) return false;
  return (dimensions > 1 || object.extent[1] == 1) && (dimensions > 2 || object.extent[2] == 1);
}

// Each level of detail begins at a multiple of so many bytes.
inline constexpr std::size_t level_alignment = 512;

// A level of detail as an object of its own. `level` is less than `object.levels`.
inline TextureObject level_of(TextureObject object, std::uint32_t level) {
  for (; level > 0; --level) {
    const std::size_t bytes = (object.bytes() + level_alignment - 1) / level_alignment * level_alignment;
    (object.region != nullptr ? object.offset : object.gone) += bytes;
    const std::uint32_t halved = object.layers == 0 && !object.cube ? 3 : 2;
    for (std::uint32_t d = 0; d < halved; ++d) object.extent[d] = object.extent[d] > 1 ? object.extent[d] / 2 : 1;
  }
  object.levels = 1;
  return object;
}

// The handles of a launch are consecutive numbers from here on, one for each argument, and those of a whole program count generations
// beyond most_texture_objects.
inline constexpr std::uint64_t first_texture_handle = 0x7E87'0000'0000ull;
inline constexpr std::uint64_t most_texture_objects = 1u << 16;

// The object with this handle, or null.
inline const TextureObject* object_of(std::span<const TextureObject> objects, std::uint64_t handle) {
  const std::uint64_t number = handle - first_texture_handle, place = number % most_texture_objects;
  if (place >= objects.size() || !objects[place].is_there()) return nullptr;
  return objects[place].generation == number / most_texture_objects ? &objects[place] : nullptr;
}

}  // namespace tilelab::simt
