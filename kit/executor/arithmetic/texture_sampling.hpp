// Which texels a fetch uses, and with which weights: the arithmetic of the CUDA C++ Programming Guide, "Texture Fetching". Reads no
// memory.
#pragma once

#include <array>
#include <cstdint>

#include "executor/memory/texture_object.hpp"

namespace tilelab::simt {

struct Tap {
  std::int64_t texel = 0;  // its number in the object's memory, x fastest; negative: it lies outside and counts as zeros
  double weight = 1.0;
};

struct Taps {
  std::array<Tap, 8> tap{};
  std::uint32_t count = 0;
};

// With the filter and the address modes of `object`. `at`: x, y, z; those that the object does not have are ignored. A layer that does
// not exist, also a negative one, is the last that does.
Taps sampled_at(const TextureObject& object, const std::array<float, 3>& at, std::int64_t layer);

// The same for a cube: `at` is a direction from its middle. Each face is filtered by itself.
Taps sampled_in_cube(const TextureObject& object, const std::array<float, 3>& at, std::int64_t layer);

// Levels of detail that a fetch asks for: one, or two with their weights.
struct LevelTaps {
  std::array<std::uint32_t, 2> level{};
  std::array<double, 2> weight{1.0, 0.0};
  std::uint32_t count = 1;
};
LevelTaps levels_at(const TextureObject& object, float level);

// The four texels between which a linear filter would choose, in the order of tex2Dgather().
Taps gathered_at(const TextureObject& object, const std::array<float, 3>& at);

}  // namespace tilelab::simt
