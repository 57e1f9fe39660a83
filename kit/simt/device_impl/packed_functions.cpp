// The functions of device/packed_functions.hpp.
#include "simt/device/packed_functions.hpp"

#include <cstdint>

#include "simt/device_impl/video_operations.hpp"

namespace {

using tilelab::simt::part_mask;
using tilelab::simt::part_of;
using tilelab::simt::saturated;
using tilelab::simt::Video;
using tilelab::simt::video_result;
using tilelab::simt::VideoNumber;

enum class Keeps { wrapped, signed_range, unsigned_range, all_bits };  // all_bits: of a part for which a comparison holds

// The operation on each part of the words.
template <int lanes, Video operation, bool has_sign, Keeps keeps = Keeps::wrapped>
unsigned each(unsigned a, unsigned b) {
  constexpr int width = 32 / lanes;
  unsigned result = 0;
  for (int at = 0; at < 32; at += width) {
    VideoNumber value = video_result(operation, part_of(a, at, width, has_sign), part_of(b, at, width, has_sign));
    if (keeps == Keeps::signed_range || keeps == Keeps::unsigned_range) value = saturated(value, width, keeps == Keeps::signed_range);
    if (keeps == Keeps::all_bits) value = -value;
    result |= (static_cast<unsigned>(value) & part_mask(width)) << at;
  }
  return result;
}

template <int lanes, Keeps keeps = Keeps::wrapped>
unsigned absolute(unsigned a) {
  return each<lanes, Video::abs_diff, true, keeps>(a, 0);
}

template <int lanes, bool has_sign>
unsigned sum_of_differences(unsigned a, unsigned b) {
  constexpr int width = 32 / lanes;
  const unsigned differences = each<lanes, Video::abs_diff, has_sign>(a, b);
  unsigned sum = 0;
  for (int at = 0; at < 32; at += width) sum += static_cast<unsigned>(part_of(differences, at, width, false));
  return sum;
}

template <int lanes>
unsigned rounded_down(unsigned a, unsigned b) {
  constexpr int width = 32 / lanes;
  unsigned result = 0;
  for (int at = 0; at < 32; at += width)
    result |= static_cast<unsigned>((part_of(a, at, width, false) + part_of(b, at, width, false)) >> 1) << at;
  return result;
}

}  // namespace

inline namespace cuda_on_cpu {

unsigned __vadd2(unsigned a, unsigned b) { return each<2, Video::add, false>(a, b); }
unsigned __vaddss2(unsigned a, unsigned b) { return each<2, Video::add, true, Keeps::signed_range>(a, b); }
unsigned __vaddus2(unsigned a, unsigned b) { return each<2, Video::add, false, Keeps::unsigned_range>(a, b); }
unsigned __vsub2(unsigned a, unsigned b) { return each<2, Video::sub, false>(a, b); }
unsigned __vsubss2(unsigned a, unsigned b) { return each<2, Video::sub, true, Keeps::signed_range>(a, b); }
unsigned __vsubus2(unsigned a, unsigned b) { return each<2, Video::sub, false, Keeps::unsigned_range>(a, b); }
unsigned __vneg2(unsigned a) { return each<2, Video::sub, false>(0, a); }
unsigned __vnegss2(unsigned a) { return each<2, Video::sub, true, Keeps::signed_range>(0, a); }
unsigned __vabs2(unsigned a) { return absolute<2>(a); }
unsigned __vabsss2(unsigned a) { return absolute<2, Keeps::signed_range>(a); }
unsigned __vabsdiffs2(unsigned a, unsigned b) { return each<2, Video::abs_diff, true>(a, b); }
unsigned __vabsdiffu2(unsigned a, unsigned b) { return each<2, Video::abs_diff, false>(a, b); }
unsigned __vsads2(unsigned a, unsigned b) { return sum_of_differences<2, true>(a, b); }
unsigned __vsadu2(unsigned a, unsigned b) { return sum_of_differences<2, false>(a, b); }
unsigned __vavgs2(unsigned a, unsigned b) { return each<2, Video::average, true>(a, b); }
unsigned __vavgu2(unsigned a, unsigned b) { return each<2, Video::average, false>(a, b); }
unsigned __vhaddu2(unsigned a, unsigned b) { return rounded_down<2>(a, b); }
unsigned __vmaxs2(unsigned a, unsigned b) { return each<2, Video::max, true>(a, b); }
unsigned __vmaxu2(unsigned a, unsigned b) { return each<2, Video::max, false>(a, b); }
unsigned __vmins2(unsigned a, unsigned b) { return each<2, Video::min, true>(a, b); }
unsigned __vminu2(unsigned a, unsigned b) { return each<2, Video::min, false>(a, b); }
unsigned __vcmpeq2(unsigned a, unsigned b) { return each<2, Video::equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmpne2(unsigned a, unsigned b) { return each<2, Video::not_equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmpges2(unsigned a, unsigned b) { return each<2, Video::greater_equal, true, Keeps::all_bits>(a, b); }
unsigned __vcmpgeu2(unsigned a, unsigned b) { return each<2, Video::greater_equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmpgts2(unsigned a, unsigned b) { return each<2, Video::greater, true, Keeps::all_bits>(a, b); }
unsigned __vcmpgtu2(unsigned a, unsigned b) { return each<2, Video::greater, false, Keeps::all_bits>(a, b); }
unsigned __vcmples2(unsigned a, unsigned b) { return each<2, Video::less_equal, true, Keeps::all_bits>(a, b); }
unsigned __vcmpleu2(unsigned a, unsigned b) { return each<2, Video::less_equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmplts2(unsigned a, unsigned b) { return each<2, Video::less, true, Keeps::all_bits>(a, b); }
unsigned __vcmpltu2(unsigned a, unsigned b) { return each<2, Video::less, false, Keeps::all_bits>(a, b); }
unsigned __vseteq2(unsigned a, unsigned b) { return each<2, Video::equal, false>(a, b); }
unsigned __vsetne2(unsigned a, unsigned b) { return each<2, Video::not_equal, false>(a, b); }
unsigned __vsetges2(unsigned a, unsigned b) { return each<2, Video::greater_equal, true>(a, b); }
unsigned __vsetgeu2(unsigned a, unsigned b) { return each<2, Video::greater_equal, false>(a, b); }
unsigned __vsetgts2(unsigned a, unsigned b) { return each<2, Video::greater, true>(a, b); }
unsigned __vsetgtu2(unsigned a, unsigned b) { return each<2, Video::greater, false>(a, b); }
unsigned __vsetles2(unsigned a, unsigned b) { return each<2, Video::less_equal, true>(a, b); }
unsigned __vsetleu2(unsigned a, unsigned b) { return each<2, Video::less_equal, false>(a, b); }
unsigned __vsetlts2(unsigned a, unsigned b) { return each<2, Video::less, true>(a, b); }
unsigned __vsetltu2(unsigned a, unsigned b) { return each<2, Video::less, false>(a, b); }

unsigned __vadd4(unsigned a, unsigned b) { return each<4, Video::add, false>(a, b); }
unsigned __vaddss4(unsigned a, unsigned b) { return each<4, Video::add, true, Keeps::signed_range>(a, b); }
unsigned __vaddus4(unsigned a, unsigned b) { return each<4, Video::add, false, Keeps::unsigned_range>(a, b); }
unsigned __vsub4(unsigned a, unsigned b) { return each<4, Video::sub, false>(a, b); }
unsigned __vsubss4(unsigned a, unsigned b) { return each<4, Video::sub, true, Keeps::signed_range>(a, b); }
unsigned __vsubus4(unsigned a, unsigned b) { return each<4, Video::sub, false, Keeps::unsigned_range>(a, b); }
unsigned __vneg4(unsigned a) { return each<4, Video::sub, false>(0, a); }
unsigned __vnegss4(unsigned a) { return each<4, Video::sub, true, Keeps::signed_range>(0, a); }
unsigned __vabs4(unsigned a) { return absolute<4>(a); }
unsigned __vabsss4(unsigned a) { return absolute<4, Keeps::signed_range>(a); }
unsigned __vabsdiffs4(unsigned a, unsigned b) { return each<4, Video::abs_diff, true>(a, b); }
unsigned __vabsdiffu4(unsigned a, unsigned b) { return each<4, Video::abs_diff, false>(a, b); }
unsigned __vsads4(unsigned a, unsigned b) { return sum_of_differences<4, true>(a, b); }
unsigned __vsadu4(unsigned a, unsigned b) { return sum_of_differences<4, false>(a, b); }
unsigned __vavgs4(unsigned a, unsigned b) { return each<4, Video::average, true>(a, b); }
unsigned __vavgu4(unsigned a, unsigned b) { return each<4, Video::average, false>(a, b); }
unsigned __vhaddu4(unsigned a, unsigned b) { return rounded_down<4>(a, b); }
unsigned __vmaxs4(unsigned a, unsigned b) { return each<4, Video::max, true>(a, b); }
unsigned __vmaxu4(unsigned a, unsigned b) { return each<4, Video::max, false>(a, b); }
unsigned __vmins4(unsigned a, unsigned b) { return each<4, Video::min, true>(a, b); }
unsigned __vminu4(unsigned a, unsigned b) { return each<4, Video::min, false>(a, b); }
unsigned __vcmpeq4(unsigned a, unsigned b) { return each<4, Video::equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmpne4(unsigned a, unsigned b) { return each<4, Video::not_equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmpges4(unsigned a, unsigned b) { return each<4, Video::greater_equal, true, Keeps::all_bits>(a, b); }
unsigned __vcmpgeu4(unsigned a, unsigned b) { return each<4, Video::greater_equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmpgts4(unsigned a, unsigned b) { return each<4, Video::greater, true, Keeps::all_bits>(a, b); }
unsigned __vcmpgtu4(unsigned a, unsigned b) { return each<4, Video::greater, false, Keeps::all_bits>(a, b); }
unsigned __vcmples4(unsigned a, unsigned b) { return each<4, Video::less_equal, true, Keeps::all_bits>(a, b); }
unsigned __vcmpleu4(unsigned a, unsigned b) { return each<4, Video::less_equal, false, Keeps::all_bits>(a, b); }
unsigned __vcmplts4(unsigned a, unsigned b) { return each<4, Video::less, true, Keeps::all_bits>(a, b); }
unsigned __vcmpltu4(unsigned a, unsigned b) { return each<4, Video::less, false, Keeps::all_bits>(a, b); }
unsigned __vseteq4(unsigned a, unsigned b) { return each<4, Video::equal, false>(a, b); }
unsigned __vsetne4(unsigned a, unsigned b) { return each<4, Video::not_equal, false>(a, b); }
unsigned __vsetges4(unsigned a, unsigned b) { return each<4, Video::greater_equal, true>(a, b); }
unsigned __vsetgeu4(unsigned a, unsigned b) { return each<4, Video::greater_equal, false>(a, b); }
unsigned __vsetgts4(unsigned a, unsigned b) { return each<4, Video::greater, true>(a, b); }
unsigned __vsetgtu4(unsigned a, unsigned b) { return each<4, Video::greater, false>(a, b); }
unsigned __vsetles4(unsigned a, unsigned b) { return each<4, Video::less_equal, true>(a, b); }
unsigned __vsetleu4(unsigned a, unsigned b) { return each<4, Video::less_equal, false>(a, b); }
unsigned __vsetlts4(unsigned a, unsigned b) { return each<4, Video::less, true>(a, b); }
unsigned __vsetltu4(unsigned a, unsigned b) { return each<4, Video::less, false>(a, b); }

}  // namespace cuda_on_cpu
