// What a kernel's handle of a texture or a surface stands for: texels in the memory of a buffer, and how they are looked up.
//
// A handle is a number that the submission could invent. So it only names a place in the launch's own list of objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "simt/region.hpp"

namespace tilelab::simt {

enum class TexelKind : std::uint8_t { floating, signed_integer, unsigned_integer };
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct TexelFormat {
  TexelKind kind = TexelKind::floating;
  std::uint32_t bytes = 4;       // of one number: 1, 2 or 4; floating: 2 (a half) or 4
  std::uint32_t components = 1;  // 1, 2 or 4
  std::uint32_t texel_bytes() const { return bytes * components; }
};

struct TextureObject {
  const Region* region = nullptr;  // null: the launch has no such object
  bool surface = false;
  std::uint32_t dimensions = 1;                  // 1 to 3
  std::array<std::uint32_t, 3> extent{1, 1, 1};  // width, height, depth, in texels
  std::uint32_t layers = 0;                      // 0: not layered
  TexelFormat format;
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear = false;      // filters between neighbours
  bool normalized = false;  // coordinates from 0 to 1
  bool as_float = false;    // whole numbers are read as 0 to 1, or -1 to 1

  std::size_t texels() const { return std::size_t{extent[0]} * extent[1] * extent[2] * (layers == 0 ? 1 : layers); }
};

// The handles of a launch are consecutive numbers from here on, one for each argument.
inline constexpr std::uint64_t first_texture_handle = 0x7E87'0000'0000ull;

// The object with this handle, or null.
inline const TextureObject* object_of(std::span<const TextureObject> objects, std::uint64_t handle) {
  const std::uint64_t place = handle - first_texture_handle;
  return place < objects.size() && objects[place].region != nullptr ? &objects[place] : nullptr;
}

}  // namespace tilelab::simt
