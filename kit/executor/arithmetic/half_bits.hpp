// The bits of half-precision numbers (IEEE 754 binary16), of bfloat16 numbers (the upper half of a float) and of tf32 numbers (a float with
// ten bits of fraction): rounding to them from wider types, and back. It needs no such type of the compiler, so it works on every host.
#pragma once

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace tilelab::simt {

enum class HalfRounding : std::uint8_t { to_nearest_even, towards_zero, up, down };

inline double half_value(std::uint16_t bits) {
  const bool negative = (bits & 0x8000u) != 0;
  const int exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF;
  double magnitude = 0.0;
  if (exponent == 0x1F)
    magnitude = fraction != 0 ? std::bit_cast<double>(0x7FF8000000000000ull) : HUGE_VAL;
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);  // subnormal
  else
    magnitude = std::ldexp(0x400 + fraction, exponent - 25);
  return negative ? -magnitude : magnitude;
}

// NaN becomes 0x7FFF, as CUDA's conversions make it.
inline std::uint16_t half_bits(double value, HalfRounding rounding = HalfRounding::to_nearest_even) {
  if (std::isnan(value)) return 0x7FFF;
  const bool negative = std::signbit(value);
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000u : 0u);
  const double magnitude = std::abs(value);
  if (magnitude == 0.0) return sign;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7C00u);
  int exponent = 0;
  std::frexp(magnitude, &exponent);                       // magnitude is in [2^(exponent-1), 2^exponent)
  const int unit = exponent < -13 ? -24 : exponent - 11;  // the last place is 2^unit; for subnormals it is constant
  const double places = std::ldexp(magnitude, -unit), whole = std::floor(places), rest = places - whole;
  auto count = static_cast<std::uint32_t>(std::min(whole, 4096.0));  // number of last places: up to 2048
  const bool away = (rounding == HalfRounding::up && !negative) || (rounding == HalfRounding::down && negative);
  const bool nearest_up = rest > 0.5 || (rest == 0.5 && (count & 1u) != 0);
  if (rounding == HalfRounding::to_nearest_even ? nearest_up : away && rest > 0.0) ++count;
  // Consecutive numbers have consecutive bit patterns. So a carry out of the fraction increments the exponent.
  const std::int64_t bits = unit == -24 ? count : (std::int64_t{unit} + 24) * 1024 + count;
  if (bits < 0x7C00) return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(bits));
  const bool to_largest = rounding != HalfRounding::to_nearest_even && !away;
  return static_cast<std::uint16_t>(sign | (to_largest ? 0x7BFFu : 0x7C00u));
}

// As CUDA has them: a number is preferred to NaN, and +0 counts as larger than -0.
template <typename Number>
Number smaller(Number a, Number b) {
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <typename Number>
Number larger(Number a, Number b) {
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}

// a * b + c of halves or bfloat16 numbers, to be rounded once. The product is exact in double. The sum is rounded to odd there, so that the
// second rounding knows on which side of a tie it is (Boldo and Melquiond, 2008).
inline double fused_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double shadow = sum - product, lost = (product - (sum - shadow)) + (c - shadow);  // sum + lost is exact
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost != 0.0 && (bits & 1u) == 0) bits = (lost > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

inline std::uint16_t half_fused(double a, double b, double c) { return half_bits(fused_to_odd(a, b, c)); }

// bfloat16 and tf32.

inline float bfloat_value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// Cut off towards zero, with the last bit set if anything was cut off. A second rounding then knows on which side of a tie it is.
inline float rounded_to_odd(double value) {
  auto narrow = static_cast<float>(value);
  if (!std::isfinite(value) || static_cast<double>(narrow) == value) return narrow;
  if (std::abs(static_cast<double>(narrow)) > std::abs(value)) narrow = std::nextafter(narrow, 0.0F);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(narrow) | 1u);
}

// To nearest even, or towards zero. NaN becomes 0x7FFF, as CUDA's conversions make it.
inline std::uint16_t bfloat_bits(double value, bool towards_zero = false) {
  if (std::isnan(value)) return 0x7FFF;
  const auto bits = std::bit_cast<std::uint32_t>(rounded_to_odd(value));
  if (towards_zero || std::isinf(value)) return static_cast<std::uint16_t>(bits >> 16);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

// To nearest, ties away from zero.
inline float tf32_value(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000u) & 0xFFFFE000u);
}

// What a tensor core reads of a float that is not rounded: its low bits are ignored.
inline float tf32_operand(std::uint32_t bits) { return std::bit_cast<float>(bits & 0xFFFFE000u); }

// Sets the processor's rounding mode while this object lives. No fiber may switch meanwhile, because the mode belongs to the
// operating-system thread.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

}  // namespace tilelab::simt
