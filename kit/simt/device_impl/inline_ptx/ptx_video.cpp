// Video instructions of inline PTX: see device/inline_ptx.hpp.
#include <algorithm>
#include <cstdint>

#include "simt/device/inline_ptx.hpp"
#include "simt/device_impl/video_operations.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using tilelab::simt::part_mask;
using tilelab::simt::part_of;
using tilelab::simt::saturated;
using tilelab::simt::Video;
using tilelab::simt::video_result;
using tilelab::simt::VideoNumber;

constexpr int a_signed = 1, b_signed = 2, is_signed = 4, saturates = 8, wraps = 16;
constexpr int second_add = 1, second_min = 2, second_max = 3;

struct Part {
  int first, width;
};

constexpr Part part(int number) {
  if (number == 0) return {0, 32};
  return number <= 4 ? Part{8 * (number - 1), 8} : Part{16 * (number - 5), 16};
}

std::int64_t read(bits word, int number, bool has_sign) {
  const Part where = part(number);
  return part_of(static_cast<std::uint32_t>(word), where.first, where.width, has_sign);
}

// Puts the lowest bits of a value into some bits of a word.
std::uint32_t merged(std::uint32_t word, const Part& where, VideoNumber value) {
  const std::uint32_t mask = part_mask(where.width) << where.first;
  return (word & ~mask) | (static_cast<std::uint32_t>(value) << where.first & mask);
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

bits video(int operation, int flags, int a_part, int b_part, int into, int second, bits a, bits b, bits c) {
  const auto what = static_cast<Video>(operation);
  VideoNumber right = read(b, b_part, (flags & b_signed) != 0);
  if (what == Video::shift_left || what == Video::shift_right) right = (flags & wraps) != 0 ? right & 31 : std::min<VideoNumber>(right, 32);
  VideoNumber value = video_result(what, read(a, a_part, (flags & a_signed) != 0), right);
  if ((flags & saturates) != 0) value = saturated(value, part(into).width, (flags & is_signed) != 0);
  const VideoNumber third = read(c, 0, (flags & is_signed) != 0);
  if (second == second_add) value += third;
  if (second == second_min) value = std::min(value, third);
  if (second == second_max) value = std::max(value, third);
  return merged(static_cast<std::uint32_t>(c), part(into), value);
}

bits video_lanes(int lanes, int operation, int flags, unsigned chosen, bool adds, unsigned a_lanes, unsigned b_lanes, bits a, bits b,
                 bits c) {
  const int width = 32 / lanes;
  const auto lane = [&](unsigned selector, int at, bool has_sign) {
    const int which = static_cast<int>(selector >> (4 * at) & 0xF);
    return part_of(static_cast<std::uint32_t>(which < lanes ? a : b), which % lanes * width, width, has_sign);
  };
  auto result = static_cast<std::uint32_t>(c);
  for (int at = 0; at < lanes; ++at) {
    if ((chosen >> at & 1u) == 0) continue;
    VideoNumber value =
        video_result(static_cast<Video>(operation), lane(a_lanes, at, (flags & a_signed) != 0), lane(b_lanes, at, (flags & b_signed) != 0));
    if ((flags & saturates) != 0) value = saturated(value, width, (flags & is_signed) != 0);
    if (adds)
      result += static_cast<std::uint32_t>(value);
    else
      result = merged(result, {width * at, width}, value);
  }
  return result;
}

bits video_multiply_add(int flags, int a_part, int b_part, int shift, bool plus_one, bool negates_product, bool negates_c, bits a, bits b,
                        bits c) {
  const bool has_sign = (flags & (a_signed | b_signed)) != 0 || negates_product || negates_c;
  const VideoNumber product = static_cast<VideoNumber>(read(a, a_part, (flags & a_signed) != 0)) * read(b, b_part, (flags & b_signed) != 0);
  const bool c_signed = (flags & (a_signed | b_signed)) != 0 || negates_product;
  const VideoNumber third = read(c, 0, c_signed);
  VideoNumber value = (negates_product ? -product : product) + (negates_c ? -third : third) + (plus_one ? 1 : 0);
  value >>= shift;
  if ((flags & saturates) != 0) value = saturated(value, 32, has_sign);
  return static_cast<std::uint32_t>(value);
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
