// What the video instructions of a GPU do with two numbers, as wide as any of them needs. Inline PTX and CUDA's functions for halves and
// bytes of words share it. Which parts of which words these are is said elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tilelab::simt {

// Operations by their numbers, as grader/engines/ptx/ptx_video.py has them.
enum class Video {
  add,
  sub,
  abs_diff,
  min,
  max,
  average,
  shift_left,
  shift_right,
  average_below,  // rounded down
  equal = 10,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal
};

__extension__ using VideoNumber = __int128;  // 33 bits, shifted by up to 32

constexpr VideoNumber video_result(Video operation, VideoNumber a, VideoNumber b) {
  switch (operation) {
    case Video::add: return a + b;
    case Video::sub: return a - b;
    case Video::abs_diff: return a < b ? b - a : a - b;
    case Video::min: return std::min(a, b);
    case Video::max: return std::max(a, b);
    case Video::average:  // a sum below zero is rounded down
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Video::average_below: return (a + b) >> 1;
    case Video::shift_left: return a * (VideoNumber{1} << static_cast<int>(b));
    case Video::shift_right: return a >> static_cast<int>(b);
    case Video::equal: return a == b ? 1 : 0;
    case Video::not_equal: return a != b ? 1 : 0;
    case Video::less: return a < b ? 1 : 0;
    case Video::less_equal: return a <= b ? 1 : 0;
    case Video::greater: return a > b ? 1 : 0;
    case Video::greater_equal: return a >= b ? 1 : 0;
  }
  return 0;
}

constexpr std::uint32_t part_mask(int width) { return width >= 32 ? ~0u : (1u << width) - 1; }

// `width` bits of a word from `first` on, with their sign or with zeros.
constexpr std::int64_t part_of(std::uint32_t word, int first, int width, bool is_signed) {
  const std::uint32_t part = word >> first & part_mask(width);
  const bool is_negative = is_signed && (part >> (width - 1) & 1u) != 0;
  return std::int64_t{part} - (is_negative ? std::int64_t{1} << width : 0);
}

// Within what fits into so many bits.
constexpr VideoNumber saturated(VideoNumber value, int width, bool is_signed) {
  const VideoNumber end = VideoNumber{1} << (is_signed ? width - 1 : width);
  return std::clamp(value, is_signed ? -end : VideoNumber{0}, end - 1);
}

}  // namespace tilelab::simt
