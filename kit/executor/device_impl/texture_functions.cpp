// The fetches, reads and writes of device/texture_functions.hpp. A submission may call them with any numbers, so nothing of them is
// believed.
#include "executor/device/texture_functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "executor/arithmetic/half_bits.hpp"
#include "executor/arithmetic/texture_sampling.hpp"
#include "executor/device_impl/announcing.hpp"

namespace {

using namespace tilelab::simt;
namespace own = cuda_on_cpu::textures_on_cpu;

using Place = CallSite;  // the statement that fetches, reads or writes

using Four = std::array<double, 4>;

template <typename Number>
double number_at(const unsigned char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return static_cast<double>(number);
}

double number_of(const TexelFormat& format, const unsigned char* at) {
  if (format.kind == TexelKind::floating)
    return format.bytes == 2 ? half_value(static_cast<std::uint16_t>(number_at<std::uint16_t>(at))) : number_at<float>(at);
  const bool has_sign = format.kind == TexelKind::signed_integer;
  switch (format.bytes) {
    case 1: return has_sign ? number_at<std::int8_t>(at) : number_at<std::uint8_t>(at);
    case 2: return has_sign ? number_at<std::int16_t>(at) : number_at<std::uint16_t>(at);
    default: return has_sign ? number_at<std::int32_t>(at) : number_at<std::uint32_t>(at);
  }
}

// A whole number of 8 or 16 bits as a fraction.
double as_fraction(const TexelFormat& format, double number) {
  const unsigned bits = 8 * format.bytes - (format.kind == TexelKind::signed_integer ? 1 : 0);
  return std::max(-1.0, number / static_cast<double>((1u << bits) - 1));
}

Four texel_at(const TextureObject& object, std::int64_t texel, const Place& place) {
  Four four{};
  if (texel < 0) {  // outside
    std::copy_n(object.border.begin(), object.format.components, four.begin());
    return four;
  }
  const std::uint32_t size = object.format.texel_bytes();
  const std::uintptr_t address = object.address_of(static_cast<std::uint64_t>(texel));
  Machine::current().access_texel(object.region != nullptr ? Unit::texture : Unit::none, address, size, AccessKind::read, place);
  if (object.region == nullptr) return four;
  const auto* bytes = reinterpret_cast<const unsigned char*>(address);
  for (std::uint32_t i = 0; i < object.format.components; ++i) {
    const double number = number_of(object.format, bytes + std::size_t{i} * object.format.bytes);
    four[i] = object.as_float ? as_fraction(object.format, number) : number;
  }
  return four;
}

// A filter's result has the precision of its texels: half, or a fraction with 16 bits. The guide does not say so: an H200 was measured.
double rounded(const TextureObject& object, double sum) {
  if (object.as_float) {
    const double steps = object.format.kind == TexelKind::signed_integer ? 32767 : 65535;
    return std::floor(sum * steps + 0.5) / steps;
  }
  const bool halves = object.format.kind == TexelKind::floating && object.format.bytes == 2;
  return halves ? half_value(half_bits(sum)) : sum;
}

Four sum_of(const TextureObject& object, const Taps& taps, const Place& place) {
  if (taps.count == 1) return texel_at(object, taps.tap[0].texel, place);
  Four sum{};
  for (std::uint32_t i = 0; i < taps.count; ++i) {
    const Four four = texel_at(object, taps.tap[i].texel, place);
    for (std::size_t number = 0; number < four.size(); ++number) sum[number] += taps.tap[i].weight * four[number];
  }
  for (double& number : sum) number = rounded(object, number);
  return sum;
}

[[noreturn]] void refuse(const char* why, const Place& place) {
  Machine& machine = Machine::current();
  machine.trap(why, machine.statement(place));
}

// What `wanted` says: see own::format.
bool gives(const TextureObject& object, int wanted) {
  const int family = wanted / 1000, bytes = wanted / 10 % 100, components = wanted % 10;
  const TexelFormat& format = object.format;
  if (components < 1 || static_cast<std::uint32_t>(components) > format.components) return false;
  const bool floating = format.kind == TexelKind::floating || object.as_float;
  if (floating || family == 1) return floating && family == 1;
  return static_cast<std::uint32_t>(bytes) >= format.bytes;
}

std::string type_name(TexelKind kind, std::uint32_t bytes, std::uint32_t components) {
  const std::string number = kind == TexelKind::floating ? (bytes == 2 ? "half" : "float")
                             : bytes == 1                ? "char"
                             : bytes == 2                ? "short"
                                                         : "int";
  return (kind == TexelKind::unsigned_integer ? "u" : "") + number + (components > 1 ? std::to_string(components) : "");
}

// The text stays where it is: the launch ends with it.
const char* other_type(const TextureObject& object, int wanted) {
  static std::string why;
  const auto kind = static_cast<TexelKind>(std::clamp(wanted / 1000, 1, 3) - 1);
  const TexelFormat& format = object.format;
  why = "fetches " + type_name(kind, static_cast<std::uint32_t>(wanted / 10 % 100), static_cast<std::uint32_t>(wanted % 10)) +
        " from a texture whose texels are " + type_name(format.kind, format.bytes, format.components) +
        (object.as_float ? " and are read as normalized floats" : "") + ": CUDA needs the same type in both places";
  return why.c_str();
}

const TextureObject& texture_of(cudaTextureObject_t handle, int how, int wanted, const Place& place) {
  const TextureObject* object = Machine::current().object_of(handle);
  if (object == nullptr) refuse("fetches from a texture object that the launch was not given", place);
  if (object->surface) refuse("fetches from a surface object as if it were a texture object", place);
  if (!has_dimensions(*object, static_cast<std::uint32_t>(how & 3), (how & own::layered) != 0, (how & own::cube) != 0))
    refuse("fetches from a texture that has another number of dimensions than the function's name says, or has layers where it has none",
           place);
  if ((how & own::gradient) != 0 && object->levels > 1)
    Machine::current().trap("fetches by gradients from a texture with several levels of detail, which the CPU executor cannot do",
                            Machine::current().statement(place), 0, true);
  if (!gives(*object, wanted)) refuse(other_type(*object, wanted), place);
  return *object;
}

Four fetched_in(const TextureObject& object, int how, const std::array<float, 3>& at, int layer, const Place& place) {
  if ((how & own::cube) != 0) return sum_of(object, sampled_in_cube(object, at, layer), place);
  if (static_cast<std::uint32_t>(how & 3) == object.dimensions) return sum_of(object, sampled_at(object, at, layer), place);
  TextureObject other = object;  // has one texel along the dimensions in which the two differ
  other.dimensions = static_cast<std::uint32_t>(how & 3);
  return sum_of(other, sampled_at(other, at, layer), place);
}

Four gathered(cudaTextureObject_t handle, int how, int wanted, float x, float y, const Place& place) {
  const TextureObject& object = texture_of(handle, how, wanted / 10 * 10 + 1, place);
  const auto number = static_cast<std::size_t>(how / 32 & 3);
  if (wanted % 10 != 4 || number >= object.format.components)
    refuse("gathers a number that the texels of this texture do not have, or into a type that does not have four numbers", place);
  const Taps taps = gathered_at(object, {x, y, 0});
  Four four{};
  for (std::size_t i = 0; i < four.size(); ++i) four[i] = texel_at(object, taps.tap[i].texel, place)[number];
  return four;
}

// A fetch that names no level of detail asks for the first.
Four fetched(cudaTextureObject_t handle, int how, int wanted, float x, float y, float z, int layer, float level, const Place& place) {
  if ((how & own::gather) != 0) return gathered(handle, how, wanted, x, y, place);
  const TextureObject& object = texture_of(handle, how, wanted, place);
  if (object.levels == 1) return fetched_in(object, how, {x, y, z}, layer, place);
  const LevelTaps levels = levels_at(object, level);
  Four sum{};
  for (std::uint32_t i = 0; i < levels.count; ++i) {
    const Four four = fetched_in(level_of(object, levels.level[i]), how, {x, y, z}, layer, place);
    for (std::size_t number = 0; number < four.size(); ++number) sum[number] += levels.weight[i] * four[number];
  }
  return sum;
}

// A number outside the texture brings zeros.
Four fetched_by_number(cudaTextureObject_t handle, int wanted, int x, const Place& place) {
  const TextureObject& object = texture_of(handle, own::of_1d, wanted, place);
  if (x < 0 || static_cast<std::uint32_t>(x) >= object.extent[0]) return {};
  return texel_at(object, x, place);
}

double4 answer(const Four& four) { return {four[0], four[1], four[2], four[3]}; }

// Surfaces.
struct SurfaceUse {
  unsigned dimensions, mode;
  std::uint32_t bytes;
  bool layered, cube;
};

SurfaceUse surface_use_of(int what) {
  const auto bits = static_cast<unsigned>(what);
  return {bits & 3, bits / 32 & 3, bits / 256, (bits & own::layered) != 0, (bits & own::cube) != 0};
}

const TextureObject& surface_of(cudaSurfaceObject_t handle, const SurfaceUse& use, const Place& place) {
  const TextureObject* object = Machine::current().object_of(handle);
  if (object == nullptr) refuse("uses a surface object that the launch was not given", place);
  if (!object->surface) refuse("uses a texture object as if it were a surface object", place);
  if (!has_dimensions(*object, use.dimensions, use.layered, use.cube))
    refuse("uses a surface that has another number of dimensions than the function's name says, or has layers where it has none", place);
  if (!std::has_single_bit(use.bytes) || use.bytes > 16) refuse("moves an odd number of bytes through a surface", place);
  return *object;
}

// Where the access goes. Nothing: outside, in the mode that brings zeros and drops writes.
std::optional<std::uintptr_t> address_of(const TextureObject& object, const SurfaceUse& use, int x, unsigned long long rest,
                                         AccessKind kind, const Place& place) {
  using Axis = SurfaceEvent::Axis;
  const std::int64_t row = std::int64_t{object.extent[0]} * object.format.texel_bytes();
  const auto y = static_cast<std::int32_t>(rest), z = static_cast<std::int32_t>(rest >> 32);
  const auto outside = [&](Axis axis, std::int64_t at, std::int64_t extent, bool misaligned = false) {
    const SurfaceEvent event{axis, misaligned, at, static_cast<std::uint64_t>(extent), use.bytes};
    Machine::current().outside_surface(object, event, kind, place);
  };
  if (x % static_cast<std::int64_t>(use.bytes) != 0) outside(Axis::x, x, row, true);
  struct Coordinate {
    Axis axis;
    std::int64_t at, last, extent;
  };
  const std::int64_t rows = object.extent[1], slices = object.slices();
  std::array<Coordinate, 3> all{Coordinate{Axis::x, x, row - use.bytes, row}, Coordinate{Axis::y, y, rows - 1, rows},
                                Coordinate{object.layers != 0 || object.cube ? Axis::layer : Axis::z, z, slices - 1, slices}};
  for (Coordinate& one : all) {
    if (one.at >= 0 && one.at <= one.last) continue;
    if (use.mode == cudaBoundaryModeZero) return std::nullopt;
    if (use.mode != cudaBoundaryModeClamp || one.last < 0) outside(one.axis, one.at, one.extent);
    one.at = std::clamp<std::int64_t>(one.at, 0, one.last);
  }
  return object.first_byte() + static_cast<std::uint64_t>((all[2].at * rows + all[1].at) * row + all[0].at);
}

// Freed memory ends the thread.
void access_surface(const TextureObject& object, std::uintptr_t address, std::uint32_t bytes, AccessKind kind, const Place& place) {
  Machine::current().access_texel(object.region != nullptr ? Unit::surface : Unit::none, address, bytes, kind, place);
  if (object.region == nullptr) refuse("uses a surface whose memory was freed", place);
}

}  // namespace

inline namespace cuda_on_cpu {
namespace textures_on_cpu {

double4 fetch_four(cudaTextureObject_t object, int how, int wanted, float x, float y, float z, int layer, float level) {
  return answer(fetched(object, how, wanted, x, y, z, layer, level, TILELAB_SITE));
}
double4 fetch_four_by_number(cudaTextureObject_t object, int wanted, int x) {
  return answer(fetched_by_number(object, wanted, x, TILELAB_SITE));
}

void read_surface(cudaSurfaceObject_t handle, int what, int x, unsigned long long rest, void* into) {
  const Place place = TILELAB_SITE;
  const SurfaceUse use = surface_use_of(what);
  const TextureObject& object = surface_of(handle, use, place);
  TILELAB_ANNOUNCE(into, use.bytes, write);
  const auto address = address_of(object, use, x, rest, AccessKind::read, place);
  if (!address) {
    std::memset(into, 0, use.bytes);
    return;
  }
  access_surface(object, *address, use.bytes, AccessKind::read, place);
  std::memcpy(into, reinterpret_cast<const void*>(*address), use.bytes);
}

void write_surface(cudaSurfaceObject_t handle, int what, int x, unsigned long long rest, const void* from) {
  const Place place = TILELAB_SITE;
  const SurfaceUse use = surface_use_of(what);
  const TextureObject& object = surface_of(handle, use, place);
  TILELAB_ANNOUNCE(from, use.bytes, read);
  if (const auto address = address_of(object, use, x, rest, AccessKind::write, place)) {
    access_surface(object, *address, use.bytes, AccessKind::write, place);
    std::memcpy(reinterpret_cast<void*>(*address), from, use.bytes);
  }
}

}  // namespace textures_on_cpu
}  // namespace cuda_on_cpu
