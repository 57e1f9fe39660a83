// Integers and bits as inline PTX computes them: see device/inline_ptx.hpp. `width` is 16, 32 or 64.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "simt/device/inline_ptx.hpp"
#include "simt/device/integer_functions.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;

constexpr bits low_bits(int width) { return ~bits{0} >> (64 - width); }

// The value with its sign carried to all 64 bits.
std::int64_t signed_value(bits value, int width) {
  const int unused = 64 - width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

bits shift_left(bits value, bits count, int width) {
  count &= 0xFFFFFFFFu;
  return count >= static_cast<bits>(width) ? 0 : value << count & low_bits(width);
}

bits shift_right(bits value, bits count, int width, bool is_signed) {
  count = std::min<bits>(count & 0xFFFFFFFFu, static_cast<bits>(width));
  if (is_signed) return static_cast<bits>(signed_value(value, width) >> std::min<bits>(count, 63)) & low_bits(width);
  return count >= static_cast<bits>(width) ? 0 : (value & low_bits(width)) >> count;
}

bits multiply_high(bits a, bits b, int width, bool is_signed) {
  if (is_signed) {
    const __int128 product = static_cast<__int128>(signed_value(a, width)) * signed_value(b, width);
    return static_cast<bits>(product >> width) & low_bits(width);
  }
  const auto product = static_cast<unsigned __int128>(a & low_bits(width)) * (b & low_bits(width));
  return static_cast<bits>(product >> width) & low_bits(width);
}

bits extract_field(bits value, bits position, bits length, int width, bool is_signed) {
  const int first = static_cast<int>(position & 0xFF), count = static_cast<int>(length & 0xFF), last = width - 1;
  bool sign = false;
  if (is_signed && count != 0) sign = (value >> std::min(first + count - 1, last) & 1u) != 0;
  bits field = 0;
  for (int at = 0; at < width; ++at) {
    const bool bit = at < count && first + at <= last ? (value >> (first + at) & 1u) != 0 : sign;
    field |= bits{bit} << at;
  }
  return field;
}

bits insert_field(bits value, bits into, bits position, bits length, int width) {
  const int first = static_cast<int>(position & 0xFF), count = static_cast<int>(length & 0xFF);
  bits result = into & low_bits(width);
  for (int at = 0; at < count && first + at < width; ++at) {
    result = (result & ~(bits{1} << (first + at))) | (value >> at & 1u) << (first + at);
  }
  return result;
}

bits permute_bytes(bits a, bits b, bits selector) {
  return __byte_perm(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(selector));
}

bits logic_3(bits a, bits b, bits c, int table) {
  bits result = 0;
  for (int row = 0; row < 8; ++row) {
    if ((table >> row & 1) != 0) result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result & 0xFFFFFFFFu;
}

bits funnel_shift(bits low, bits high, bits count, bool left, bool clamps) {
  const auto a = static_cast<unsigned>(low), b = static_cast<unsigned>(high);
  const auto shift = static_cast<unsigned>(clamps ? count : count & 31);
  return left ? __funnelshift_lc(a, b, shift) : __funnelshift_rc(a, b, shift);
}

bits population(bits value, int width) { return static_cast<bits>(std::popcount(value & low_bits(width))); }
bits leading_zeros(bits value, int width) { return static_cast<bits>(std::countl_zero(value & low_bits(width)) - (64 - width)); }

bits find_leading(bits value, int width, bool is_signed, bool as_shift) {
  bits sought = value & low_bits(width);
  if (is_signed && signed_value(value, width) < 0) sought = ~value & low_bits(width);
  if (sought == 0) return 0xFFFFFFFFu;
  const int at = 63 - std::countl_zero(sought);
  return static_cast<bits>(as_shift ? width - 1 - at : at);
}

bits reverse_bits(bits value, int width) { return __brevll(value) >> (64 - width); }

// A GPU has no trap for a division by zero: the result has all bits set, and the remainder is the dividend.
bits divide(bits a, bits b, int width, bool is_signed) {
  if ((b & low_bits(width)) == 0) return low_bits(width);
  if (!is_signed) return (a & low_bits(width)) / (b & low_bits(width));
  const auto quotient = static_cast<__int128>(signed_value(a, width)) / signed_value(b, width);
  return static_cast<bits>(quotient) & low_bits(width);
}
bits remainder(bits a, bits b, int width, bool is_signed) {
  if ((b & low_bits(width)) == 0) return a & low_bits(width);
  if (!is_signed) return (a & low_bits(width)) % (b & low_bits(width));
  const auto rest = static_cast<__int128>(signed_value(a, width)) % signed_value(b, width);
  return static_cast<bits>(rest) & low_bits(width);
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
