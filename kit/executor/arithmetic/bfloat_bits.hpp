// The bits of bfloat16 numbers (the upper half of a float) and of tf32 numbers (a float with ten bits of fraction): rounding to them,
// and back.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tilelab::simt {

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

}  // namespace tilelab::simt
