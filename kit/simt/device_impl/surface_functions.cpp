// The reads and writes of device/surface_functions.hpp. A submission may call them with any numbers, so nothing of them is believed.
#include "simt/device/surface_functions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "simt/device_impl/announcing.hpp"

namespace {

using tilelab::simt::AccessKind;
using tilelab::simt::Machine;
using tilelab::simt::SurfaceEvent;
using tilelab::simt::TextureObject;
using tilelab::simt::Unit;
namespace own = cuda_on_cpu::textures_on_cpu;

struct Place {
  std::uintptr_t pc = 0, frame = 0;
};

struct Use {
  unsigned dimensions, mode;
  std::uint32_t bytes;
  bool layered, cube;
};

Use use_of(int what) {
  const auto bits = static_cast<unsigned>(what);
  return {bits & 3, bits / 32 & 3, bits / 256, (bits & own::layered) != 0, (bits & own::cube) != 0};
}

[[noreturn]] void refuse(const char* why, const Place& place) {
  Machine& machine = Machine::current();
  machine.trap(why, machine.statement(place.pc, place.frame));
}

const TextureObject& surface_of(cudaSurfaceObject_t handle, const Use& use, const Place& place) {
  const TextureObject* object = Machine::current().object_of(handle);
  if (object == nullptr) refuse("uses a surface object that the launch was not given", place);
  if (!object->surface) refuse("uses a texture object as if it were a surface object", place);
  if (!tilelab::simt::has_dimensions(*object, use.dimensions, use.layered, use.cube))
    refuse("uses a surface that has another number of dimensions than the function's name says, or has layers where it has none", place);
  if (!std::has_single_bit(use.bytes) || use.bytes > 16) refuse("moves an odd number of bytes through a surface", place);
  return *object;
}

// Where the access goes. Nothing: outside, in the mode that brings zeros and drops writes.
std::optional<std::uintptr_t> address_of(const TextureObject& object, const Use& use, int x, unsigned long long rest, AccessKind kind,
                                         const Place& place) {
  using Axis = SurfaceEvent::Axis;
  const std::int64_t row = std::int64_t{object.extent[0]} * object.format.texel_bytes();
  const auto y = static_cast<std::int32_t>(rest), z = static_cast<std::int32_t>(rest >> 32);
  const auto outside = [&](Axis axis, std::int64_t at, std::int64_t extent, bool misaligned = false) {
    const SurfaceEvent event{axis, misaligned, at, static_cast<std::uint64_t>(extent), use.bytes};
    Machine::current().outside_surface(object, event, kind, place.pc, place.frame);
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
void access(const TextureObject& object, std::uintptr_t address, std::uint32_t bytes, AccessKind kind, const Place& place) {
  Machine::current().access_texel(object.region != nullptr ? Unit::surface : Unit::none, address, bytes, kind, place.pc, place.frame);
  if (object.region == nullptr) refuse("uses a surface whose memory was freed", place);
}

}  // namespace

inline namespace cuda_on_cpu {
namespace textures_on_cpu {

ulonglong2 read_surface(cudaSurfaceObject_t handle, int what, int x, unsigned long long rest) {
  const Place place{TILELAB_PC, TILELAB_CALLER_FRAME};
  const Use use = use_of(what);
  const TextureObject& object = surface_of(handle, use, place);
  ulonglong2 bits{0, 0};
  if (const auto address = address_of(object, use, x, rest, AccessKind::read, place)) {
    access(object, *address, use.bytes, AccessKind::read, place);
    std::memcpy(&bits, reinterpret_cast<const void*>(*address), use.bytes);
  }
  return bits;
}

void write_surface(cudaSurfaceObject_t handle, int what, int x, unsigned long long rest, unsigned long long low, unsigned long long high) {
  const Place place{TILELAB_PC, TILELAB_CALLER_FRAME};
  const Use use = use_of(what);
  const TextureObject& object = surface_of(handle, use, place);
  if (const auto address = address_of(object, use, x, rest, AccessKind::write, place)) {
    access(object, *address, use.bytes, AccessKind::write, place);
    const ulonglong2 bits{low, high};
    std::memcpy(reinterpret_cast<void*>(*address), &bits, use.bytes);
  }
}

}  // namespace textures_on_cpu
}  // namespace cuda_on_cpu
