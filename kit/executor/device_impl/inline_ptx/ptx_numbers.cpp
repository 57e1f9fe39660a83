// Numbers and bits as inline PTX computes them, comparisons and conversions: see device/inline_ptx.hpp. The numbers of
// operations, types, relations and roundings are those of ptx_reader.py.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "executor/arithmetic/half_bits.hpp"
#include "executor/device/inline_ptx.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using namespace tilelab::simt;

enum Type : int { u8, u16, u32, u64, s8, s16, s32, s64, f32, f64, f16, bf16, tf32 };

constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
constexpr HalfRounding half_modes[] = {HalfRounding::to_nearest_even, HalfRounding::towards_zero, HalfRounding::down, HalfRounding::up};

float float_of(bits value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }
double double_of(bits value) { return std::bit_cast<double>(std::uint64_t{value}); }
bits bits_of_float(float value) { return std::bit_cast<std::uint32_t>(value); }
bits bits_of_double(double value) { return std::bit_cast<std::uint64_t>(value); }

// Volatile operands and results keep the operation between the two changes of the rounding mode.
template <typename Number>
Number computed(int operation, int rounding, Number first, Number second, Number third) {
  const RoundingMode rounds(modes[rounding & 3]);
  const volatile Number left = first, right = second, added = third;
  const Number a = left, b = right, c = added;
  volatile Number result = 0;
  switch (operation) {
    case 0: result = a + b; break;
    case 1: result = a - b; break;
    case 2: result = a * b; break;
    case 3: result = std::fma(a, b, c); break;
    case 4: result = a / b; break;
    case 5: result = Number{1} / a; break;
    case 6: result = std::sqrt(a); break;
    case 7: result = Number{1} / std::sqrt(a); break;
    case 8: result = std::exp2(a); break;
    case 9: result = std::log2(a); break;
    case 10: result = std::sin(a); break;
    case 11: result = std::cos(a); break;
    case 12: result = std::tanh(a); break;
    case 13: result = smaller(a, b); break;
    case 14: result = larger(a, b); break;
    case 15: result = -a; break;
    case 16: result = std::abs(a); break;
    case 17: result = std::copysign(b, a); break;
    case 18: result = std::isnan(a) || std::isnan(b) ? std::numeric_limits<Number>::quiet_NaN() : smaller(a, b); break;
    case 19: result = std::isnan(a) || std::isnan(b) ? std::numeric_limits<Number>::quiet_NaN() : larger(a, b); break;
    case 20: result = a > 0 ? (a < 1 ? a : Number{1}) : Number{0}; break;  // .sat: NaN becomes 0
    default: result = a; break;
  }
  return result;
}

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value; }

int width_of(int type) {
  constexpr int widths[] = {8, 16, 32, 64, 8, 16, 32, 64, 32, 64, 16, 16, 32};  // in the order of Type
  static_assert(std::size(widths) == tf32 + 1);
  return widths[type];
}

bool is_signed(int type) { return type >= s8 && type <= s64; }

// The value of a whole number of so many bits.
__int128 whole_of(bits value, int width, bool has_sign) {
  const int unused = 64 - width;
  if (has_sign) return static_cast<std::int64_t>(value << unused) >> unused;
  return static_cast<__int128>(value << unused >> unused);
}

__int128 whole(int type, bits value) { return whole_of(value, width_of(type), is_signed(type)); }

double number(int type, bits value) {
  switch (type) {
    case f64: return double_of(value);
    case f16: return half_value(static_cast<std::uint16_t>(value));
    case bf16: return static_cast<double>(bfloat_value(static_cast<std::uint16_t>(value)));
    default: return static_cast<double>(float_of(value));
  }
}

double to_whole(double value, int rounding) {
  switch (rounding & 3) {
    case 0: return std::nearbyint(value);
    case 1: return std::trunc(value);
    case 2: return std::floor(value);
    default: return std::ceil(value);
  }
}

bits clamped(int type, __int128 value) {
  const int width = width_of(type);
  const __int128 highest = (__int128{1} << (is_signed(type) ? width - 1 : width)) - 1, lowest = is_signed(type) ? -highest - 1 : 0;
  return static_cast<bits>(std::clamp(value, lowest, highest));
}

bits whole_from_number(int to, double value) {
  if (std::isnan(value)) return width_of(to) == 64 ? bits{1} << 63 : 0;
  const double limit = 0x1p100;
  return clamped(to, static_cast<__int128>(std::clamp(value, -limit, limit)));
}

bits rounded(int to, int rounding, double value) {
  switch (to) {
    case f64: return bits_of_double(value);
    case f16: return half_bits(value, half_modes[rounding & 3]);
    case bf16: return bfloat_bits(value, (rounding & 3) == 1);
    case tf32: return bits_of_float(tf32_value(static_cast<float>(value)));
    default: {
      const RoundingMode rounds(modes[rounding & 3]);
      const volatile double wide = value;
      const volatile auto narrow = static_cast<float>(wide);
      return bits_of_float(narrow);
    }
  }
}

bits rounded_whole(int to, int rounding, __int128 value) {
  if (to == f16 || to == bf16) return rounded(to, rounding, static_cast<double>(value));
  const RoundingMode rounds(modes[rounding & 3]);
  const bool negative = value < 0;
  const volatile auto below = static_cast<std::int64_t>(value);
  const volatile auto above = static_cast<std::uint64_t>(value);
  if (to == f64) {
    const volatile double wide = negative ? static_cast<double>(below) : static_cast<double>(above);
    return bits_of_double(wide);
  }
  const volatile float narrow = negative ? static_cast<float>(below) : static_cast<float>(above);
  return bits_of_float(narrow);
}

bool holds(int relation, int order) {  // order: -1, 0, 1, or 2 where one of the two is no number
  if (order == 2) return relation >= 6 && relation != 12;
  if (relation >= 12) return relation == 12;
  switch (relation % 6) {  // from 6 on, they hold also where one is no number
    case 0: return order == 0;
    case 1: return order != 0;
    case 2: return order < 0;
    case 3: return order <= 0;
    case 4: return order > 0;
    default: return order >= 0;
  }
}

// One half-precision number; `c` only where there are three operands.
std::uint16_t half_computed(int operation, bool bfloat, std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  if (operation == 15) return a ^ 0x8000u;
  if (operation == 16) return a & 0x7FFFu;
  const int type = bfloat ? bf16 : f16;
  const double x = number(type, a), y = number(type, b), z = number(type, c);
  const double result = operation == 3 ? fused_to_odd(x, y, z) : computed<double>(operation, 0, x, y, z);
  return bfloat ? bfloat_bits(result) : half_bits(result);
}

constexpr bits low_bits(int width) { return ~bits{0} >> (64 - width); }

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

bits float_operation(int operation, int rounding, bool flush, bits a, bits b, bits c) {
  if (!flush) return bits_of_float(computed<float>(operation, rounding, float_of(a), float_of(b), float_of(c)));
  return bits_of_float(flushed(computed<float>(operation, rounding, flushed(float_of(a)), flushed(float_of(b)), flushed(float_of(c)))));
}

bits double_operation(int operation, int rounding, bits a, bits b, bits c) {
  return bits_of_double(computed<double>(operation, rounding, double_of(a), double_of(b), double_of(c)));
}

bits half_operation(int operation, bool bfloat, bits a, bits b, bits c) {
  constexpr int of_pairs = 32;
  const auto at = [&](int shift) {
    return bits{half_computed(operation % of_pairs, bfloat, static_cast<std::uint16_t>(a >> shift), static_cast<std::uint16_t>(b >> shift),
                              static_cast<std::uint16_t>(c >> shift))};
  };
  return operation < of_pairs ? at(0) : at(0) | at(16) << 16;
}

bits convert(int from, int to, int rounding, bool saturate, bits value) {
  if (from < f32) {
    const __int128 number = whole(from, value);
    if (to >= f32) return rounded_whole(to, rounding, number);
    return saturate ? clamped(to, number) : static_cast<bits>(whole(to, static_cast<bits>(number)));
  }
  const double given = number(from, value);
  if (to < f32) return whole_from_number(to, to_whole(given, rounding));
  constexpr int to_integers = 4;  // .rni and its like
  const double asked = (rounding & to_integers) != 0 ? to_whole(given, rounding) : given;
  return rounded(to, (rounding & to_integers) != 0 ? 0 : rounding, saturate ? computed<double>(20, 0, asked, 0, 0) : asked);
}

bool compare(int type, int relation, bits a, bits b) {
  if (type < f32) {
    const __int128 one = whole(type, a), other = whole(type, b);
    return holds(relation, one < other ? -1 : one == other ? 0 : 1);
  }
  const double one = number(type, a), other = number(type, b);
  return holds(relation, std::isnan(one) || std::isnan(other) ? 2 : one < other ? -1 : one == other ? 0 : 1);
}

// Integers and bits. `width` is 16, 32 or 64.
bits shift_left(bits value, bits count, int width) {
  count &= 0xFFFFFFFFu;
  return count >= static_cast<bits>(width) ? 0 : value << count & low_bits(width);
}

bits shift_right(bits value, bits count, int width, bool is_signed) {
  const bits most = std::min<bits>(count & 0xFFFFFFFFu, static_cast<bits>(width));
  return static_cast<bits>(whole_of(value, width, is_signed) >> most) & low_bits(width);
}

bits multiply_high(bits a, bits b, int width, bool is_signed) {
  const auto left = static_cast<unsigned __int128>(whole_of(a, width, is_signed));
  return static_cast<bits>(left * static_cast<unsigned __int128>(whole_of(b, width, is_signed)) >> width) & low_bits(width);
}

bits extract_field(bits value, bits position, bits length, int width, bool is_signed) {
  const int first = static_cast<int>(position & 0xFF), count = static_cast<int>(length & 0xFF);
  if (count == 0) return 0;
  const int unused = 128 - std::min(count, 128);  // behind the last bit, those of its sign follow
  const auto field = static_cast<unsigned __int128>(whole_of(value, width, is_signed) >> std::min(first, 127)) << unused;
  return static_cast<bits>(is_signed ? static_cast<__int128>(field) >> unused : static_cast<__int128>(field >> unused)) & low_bits(width);
}

bits insert_field(bits value, bits into, bits position, bits length, int width) {
  const int first = static_cast<int>(position & 0xFF), count = static_cast<int>(length & 0xFF);
  if (first >= width || count == 0) return into & low_bits(width);
  const bits field = low_bits(std::min(count, 64)) << first;
  return ((into & ~field) | (value << first & field)) & low_bits(width);
}

bits logic_3(bits a, bits b, bits c, int table) {
  bits result = 0;
  for (int row = 0; row < 8; ++row) {
    if ((table >> row & 1) != 0) result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result & 0xFFFFFFFFu;
}

bits byte_differences(bits a, bits b, bits c, bool adds) {
  unsigned sum = 0, differences = 0;
  for (int at = 0; at < 32; at += 8) {
    const auto difference = static_cast<unsigned>(std::abs(static_cast<int>(a >> at & 0xFF) - static_cast<int>(b >> at & 0xFF)));
    sum += difference;
    differences |= difference << at;
  }
  return adds ? static_cast<unsigned>(c) + sum : differences;
}

bits find_leading(bits value, int width, bool is_signed, bool as_shift) {
  const bits sought = (whole_of(value, width, is_signed) < 0 ? ~value : value) & low_bits(width);
  if (sought == 0) return 0xFFFFFFFFu;
  const int at = 63 - std::countl_zero(sought);
  return static_cast<bits>(as_shift ? width - 1 - at : at);
}

// A GPU has no trap for a division by zero: the result has all bits set, and the remainder is the dividend.
bits divide(bits a, bits b, int width, bool is_signed) {
  if ((b & low_bits(width)) == 0) return low_bits(width);
  return static_cast<bits>(whole_of(a, width, is_signed) / whole_of(b, width, is_signed)) & low_bits(width);
}
bits remainder(bits a, bits b, int width, bool is_signed) {
  if ((b & low_bits(width)) == 0) return a & low_bits(width);
  return static_cast<bits>(whole_of(a, width, is_signed) % whole_of(b, width, is_signed)) & low_bits(width);
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
