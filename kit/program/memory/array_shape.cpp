// Extents and limits: CUDA's reference of cudaMalloc3DArray, for compute capability 9.0.
#include "program/memory/array_shape.hpp"

#include <algorithm>
#include <bit>

namespace tilelab::program {
namespace {

constexpr std::uint64_t known_flags = ArrayShape::layered | ArrayShape::surface | ArrayShape::cubemap | ArrayShape::gather;
constexpr std::uint64_t faces = 6;

bool is_at_most(const std::array<std::uint64_t, 3>& extent, std::uint64_t width, std::uint64_t height, std::uint64_t depth) {
  return extent[0] > 0 && extent[0] <= width && extent[1] <= height && extent[2] <= depth;
}

bool is_possible(const ArrayRequest& request) {
  const auto& [width, height, depth] = request.extent;
  const bool is_layered = (request.flags & ArrayShape::layered) != 0, is_cube = (request.flags & ArrayShape::cubemap) != 0;
  if ((request.flags & ~known_flags) != 0) return false;
  if (is_cube) {
    const bool whole = is_layered ? depth > 0 && depth % faces == 0 : depth == faces;
    return whole && width == height && is_at_most(request.extent, 32768, 32768, 2046);
  }
  if (is_layered) return depth > 0 && is_at_most(request.extent, 32768, 32768, 2048);
  if (depth > 0) return height > 0 && is_at_most(request.extent, 16384, 16384, 16384);
  return is_at_most(request.extent, 131072, 65536, 0);
}

}  // namespace

std::optional<simt::TexelFormat> format_of(const ChannelFormat& channels) {
  const auto& bits = channels.bits;
  const auto count = static_cast<std::size_t>(std::ranges::find(bits, std::uint64_t{0}) - bits.begin());
  const auto rest = bits.begin() + static_cast<std::ptrdiff_t>(count);
  const bool alike = std::all_of(bits.begin(), rest, [&](std::uint64_t one) { return one == bits[0]; });
  const bool ends = std::all_of(rest, bits.end(), [](std::uint64_t one) { return one == 0; });
  const bool is_float = channels.kind == 2;
  const bool size = bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && !is_float);
  if (channels.kind > 2 || !alike || !ends || !size || count == 3) return std::nullopt;
  const simt::TexelKind kind = is_float             ? simt::TexelKind::floating
                               : channels.kind == 0 ? simt::TexelKind::signed_integer
                                                    : simt::TexelKind::unsigned_integer;
  return simt::TexelFormat{kind, static_cast<std::uint32_t>(bits[0] / 8), static_cast<std::uint32_t>(count)};
}

std::optional<ArrayShape> ArrayShape::of(const ArrayRequest& request) {
  const auto format = format_of(request.channels);
  if (!format || !is_possible(request)) return std::nullopt;
  ArrayShape shape;
  shape.request_ = request;
  shape.format_ = *format;
  const bool is_deep = shape.dimensions() == 3;
  std::array<std::uint32_t, 3> extent{};
  for (std::size_t d = 0; d < extent.size(); ++d) extent[d] = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, request.extent[d]));
  const std::uint32_t longest = std::max({extent[0], extent[1], is_deep ? extent[2] : 1u});
  const std::uint64_t most = std::bit_width(longest), levels = std::clamp<std::uint64_t>(request.levels, 1, most);
  std::size_t offset = request.levels != 0 ? simt::level_alignment : 0;
  for (std::uint64_t i = 0; i < levels; ++i) {
    const ArrayLevel& level = shape.levels_.emplace_back(ArrayLevel{extent, offset, std::size_t{extent[0]} * shape.format_.texel_bytes()});
    shape.bytes_ = offset + level.bytes();
    offset = (shape.bytes_ + simt::level_alignment - 1) / simt::level_alignment * simt::level_alignment;
    for (std::size_t d = 0; d < (is_deep ? 3 : 2); ++d) extent[d] = std::max(1u, extent[d] / 2);
  }
  return shape;
}

std::uint32_t ArrayShape::dimensions() const {
  if (request_.extent[1] == 0) return 1;
  return request_.extent[2] != 0 && !has(layered) && !has(cubemap) ? 3 : 2;
}

std::uint32_t ArrayShape::layers() const {
  if (!has(layered)) return 0;
  return static_cast<std::uint32_t>(has(cubemap) ? request_.extent[2] / faces : request_.extent[2]);
}

const ArrayLevel* ArrayShape::level_at(std::size_t offset) const {
  const auto found = std::ranges::find(levels_, offset, &ArrayLevel::offset);
  return found != levels_.end() ? &*found : nullptr;
}

std::vector<std::uint32_t> ArrayShape::texels(const ArrayLevel& level) const {
  std::vector<std::uint32_t> all;
  for (std::size_t d = dimensions(); d-- > 0;) all.push_back(level.extent[d]);
  return all;
}

}  // namespace tilelab::program
