#include "executor/arithmetic/texture_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilelab::simt {
namespace {

constexpr std::int64_t outside = -1;
constexpr double weight_steps = 256;  // weights are numbers with 8 bits behind the point
constexpr double furthest = 1e15;     // from here on a coordinate is as good as infinite

// One dimension of a lookup: a texel, or two neighbours.
struct Axis {
  std::array<std::int64_t, 2> texel{};
  std::array<double, 2> weight{1.0, 0.0};
  std::size_t count = 1;
};

std::int64_t floor_of(double value) { return static_cast<std::int64_t>(std::floor(value)); }

std::int64_t positive_rest(std::int64_t value, std::int64_t by) { return (value % by + by) % by; }

// Where a texel's number leads that lies outside. Wrapping and mirroring need normalized coordinates; without them, CUDA clamps.
std::int64_t addressed(std::int64_t texel, std::int64_t extent, AddressMode mode, bool normalized) {
  if (texel >= 0 && texel < extent) return texel;
  if (mode == AddressMode::border) return outside;
  if (mode == AddressMode::wrap && normalized) return positive_rest(texel, extent);
  if (mode == AddressMode::mirror && normalized) {
    const std::int64_t there = positive_rest(texel, 2 * extent);
    return there < extent ? there : 2 * extent - 1 - there;
  }
  return std::clamp<std::int64_t>(texel, 0, extent - 1);
}

// In texels. A coordinate that is no number counts as 0.
double scaled(float coordinate, std::int64_t extent, bool normalized) {
  if (std::isnan(coordinate)) return 0.0;
  return std::clamp(double{coordinate} * (normalized ? static_cast<double>(extent) : 1.0), -furthest, furthest);
}

Axis along(float coordinate, std::int64_t extent, AddressMode mode, bool normalized, bool linear) {
  const double place = scaled(coordinate, extent, normalized);
  Axis axis;
  if (!linear) {
    axis.texel[0] = addressed(floor_of(place), extent, mode, normalized);
    return axis;
  }
  const std::int64_t steps = floor_of((place - 0.5) * weight_steps + 0.5);
  const std::int64_t first = steps >> 8;
  const double weight = static_cast<double>(steps & 255) / weight_steps;
  axis.count = 2;
  axis.texel = {addressed(first, extent, mode, normalized), addressed(first + 1, extent, mode, normalized)};
  axis.weight = {1.0 - weight, weight};
  return axis;
}

std::int64_t number_of(const TextureObject& object, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t layer) {
  if (x == outside || y == outside || z == outside) return outside;
  const std::int64_t slice = object.layers != 0 || object.cube ? layer : z;
  const std::int64_t rows = object.layers != 0 && object.dimensions == 1 ? 1 : std::int64_t{object.extent[1]};
  return (slice * rows + y) * object.extent[0] + x;
}

std::array<Axis, 3> axes_of(const TextureObject& object, const std::array<float, 3>& at, bool linear) {
  std::array<Axis, 3> axes;
  for (std::size_t d = 0; d < object.dimensions; ++d)
    axes[d] = along(at[d], object.extent[d], object.address[d], object.normalized, linear);
  return axes;
}

double in_steps(double weight) { return std::floor(weight * weight_steps + 0.5) / weight_steps; }

// The weights of the neighbours of two axes, by both: their products are rounded to the weights' 8 bits, and all add up to one. The
// guide does not say so: an H200 was measured, also that it takes x and z first.
std::array<std::array<double, 2>, 2> products(const Axis& one, const Axis& other) {
  const double last = in_steps(one.weight[1] * other.weight[1]);
  const double of_other = other.weight[1] - last;
  return {{{one.weight[0] - of_other, of_other}, {one.weight[1] - last, last}}};
}

// A negative layer is a large one, as in a register without a sign.
std::int64_t layer_of(const TextureObject& object, std::int64_t layer) {
  const std::int64_t last = std::max<std::int64_t>(1, object.layers) - 1;
  return layer < 0 ? last : std::min(layer, last);
}

// `here`: the slice of an object with layers or faces.
Taps in_slice(const TextureObject& object, const std::array<float, 3>& at, std::int64_t here) {
  const std::array<Axis, 3> axes = axes_of(object, at, object.linear);
  const Axis &x = axes[0], &y = axes[1], &z = axes[2];
  const bool deep = z.count == 2;
  const auto weights = products(x, deep ? z : y);
  Taps taps;
  const auto add = [&](std::size_t i, std::size_t j, std::size_t k, double weight) {
    if (weight != 0) taps.tap[taps.count++] = {number_of(object, x.texel[i], y.texel[j], z.texel[k], here), weight};
  };
  for (std::size_t i = 0; i < x.count; ++i) {
    for (std::size_t other = 0; other < (deep ? z : y).count; ++other) {
      const double weight = weights[i][other], upper = in_steps(weight * y.weight[1]);
      if (!deep) {
        add(i, other, 0, weight);
      } else {
        add(i, 0, other, weight - upper);
        add(i, 1, other, upper);
      }
    }
  }
  return taps;
}

struct FacePlace {
  std::int64_t face;
  float s, t;
};

// Table "Cubemap Fetch" of the guide. The largest coordinate chooses the face; of equal ones, x before y before z.
FacePlace face_at(const std::array<float, 3>& at) {
  const auto [x, y, z] = at;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto place = [](std::int64_t face, float along, float s, float t) {
    return along == 0 ? FacePlace{face, 0.5f, 0.5f} : FacePlace{face, (s / along + 1) / 2, (t / along + 1) / 2};
  };
  if (ax >= ay && ax >= az) return std::signbit(x) ? place(1, ax, z, -y) : place(0, ax, -z, -y);
  if (ay >= az) return std::signbit(y) ? place(3, ay, x, -z) : place(2, ay, x, z);
  return std::signbit(z) ? place(5, az, -x, -y) : place(4, az, x, -y);
}

}  // namespace

Taps sampled_at(const TextureObject& object, const std::array<float, 3>& at, std::int64_t layer) {
  return in_slice(object, at, layer_of(object, layer));
}

Taps sampled_in_cube(const TextureObject& object, const std::array<float, 3>& at, std::int64_t layer) {
  const FacePlace place = face_at(at);
  TextureObject face = object;
  face.normalized = true;
  return in_slice(face, {place.s, place.t, 0}, layer_of(object, layer) * 6 + place.face);
}

LevelTaps levels_at(const TextureObject& object, float level) {
  const double last = object.levels - 1;
  double wanted = std::isnan(level) ? 0.0 : std::clamp(double{level} + double{object.level_bias}, -1.0, last + 1);
  wanted = std::clamp(wanted, double{object.least_level}, std::max(double{object.least_level}, double{object.most_level}));
  wanted = std::clamp(wanted, 0.0, last);
  if (!object.blends_levels) return {{static_cast<std::uint32_t>(std::min(last, std::floor(wanted + 0.5))), 0}, {1.0, 0.0}, 1};
  const std::int64_t steps = floor_of(wanted * weight_steps + 0.5);
  const auto first = static_cast<std::uint32_t>(steps >> 8);
  const double weight = static_cast<double>(steps & 255) / weight_steps;
  if (weight == 0 || first + 1 >= object.levels) return {{first, 0}, {1.0, 0.0}, 1};
  return {{first, first + 1}, {1.0 - weight, weight}, 2};
}

Taps gathered_at(const TextureObject& object, const std::array<float, 3>& at) {
  const auto [x, y, z] = axes_of(object, at, true);
  Taps taps;
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 1}, std::pair{1, 0}, std::pair{0, 0}})
    taps.tap[taps.count++] = {number_of(object, x.texel[static_cast<std::size_t>(i)], y.texel[static_cast<std::size_t>(j)], 0, 0), 1.0};
  return taps;
}

}  // namespace tilelab::simt
