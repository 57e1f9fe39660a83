// What a CUDA array is: its texels, its extents, its levels of detail, and where each lies in its memory. Rows follow each other without
// a gap, and so do slices: a GPU's own order of texels is nobody's business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simt/memory/texture_object.hpp"

namespace tilelab::program {

// As cudaChannelFormatDesc says it.
struct ChannelFormat {
  std::array<std::uint64_t, 4> bits{};
  std::uint64_t kind = 0;
};
// Nothing: no texel is like this.
std::optional<simt::TexelFormat> format_of(const ChannelFormat& channels);

struct ArrayLevel {
  std::array<std::uint32_t, 3> extent{1, 1, 1};  // texels of a row, rows of a slice, slices (layers, faces)
  std::size_t offset = 0, row_bytes = 0;
  std::size_t bytes() const { return row_bytes * extent[1] * extent[2]; }
};

struct ArrayRequest {
  ChannelFormat channels;
  std::array<std::uint64_t, 3> extent{};  // as cudaExtent: a height or a depth of 0 is none
  std::uint64_t flags = 0;
  std::uint64_t levels = 0;  // 0: not mipmapped
};

class ArrayShape {
 public:
  static constexpr std::uint64_t layered = 1, surface = 2, cubemap = 4, gather = 8;  // flags, CUDA's

  // Nothing: CUDA makes no such array.
  static std::optional<ArrayShape> of(const ArrayRequest& request);

  const ArrayRequest& request() const { return request_; }
  const simt::TexelFormat& format() const { return format_; }
  bool has(std::uint64_t flag) const { return (request_.flags & flag) != 0; }
  bool is_mipmapped() const { return request_.levels != 0; }
  std::uint32_t dimensions() const;  // without layers
  std::uint32_t layers() const;      // 0: none; of cubes, cubes
  std::size_t bytes() const { return bytes_; }
  const std::vector<ArrayLevel>& levels() const { return levels_; }
  // The level whose handle is this many bytes from the array's own address, or null. The levels of a mipmapped array have handles that
  // are not the array's own.
  const ArrayLevel* level_at(std::size_t offset) const;
  // The extents in texels, slowest first, as a texture is described.
  std::vector<std::uint32_t> texels(const ArrayLevel& level) const;

 private:
  ArrayShape() = default;

  ArrayRequest request_;
  simt::TexelFormat format_;
  std::vector<ArrayLevel> levels_;
  std::size_t bytes_ = 0;
};

}  // namespace tilelab::program
