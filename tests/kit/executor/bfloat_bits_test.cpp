// Rounding to bfloat16 and tf32: to nearest even, ties, numbers that no float holds.
#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "executor/arithmetic/half_bits.hpp"

using tilelab::simt::bfloat_bits;
using tilelab::simt::bfloat_value;
using tilelab::simt::tf32_operand;
using tilelab::simt::tf32_value;

TEST_CASE("every bfloat16 number comes back from its value", "[bfloat]") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = bfloat_value(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) CHECK(bfloat_bits(static_cast<double>(value)) == bits);
  }
  CHECK(bfloat_bits(std::numeric_limits<double>::quiet_NaN()) == 0x7FFF);
}

TEST_CASE("a tie goes to the even neighbour, and what is beside a tie does not", "[bfloat]") {
  CHECK(bfloat_bits(1.0 + 0x1p-8) == 0x3F80);
  CHECK(bfloat_bits(1.0 + 3 * 0x1p-8) == 0x3F82);
  CHECK(bfloat_bits(1.0 + 0x1p-8 + 0x1p-40) == 0x3F81);
  CHECK(bfloat_bits(-1.0 - 0x1p-8 - 0x1p-40) == 0xBF81);
  CHECK(bfloat_bits(1.0 + 0x1p-7 - 0x1p-40, true) == 0x3F80);
  CHECK(bfloat_bits(1e300) == 0x7F80);
}

TEST_CASE("tf32 keeps ten bits: a conversion rounds, a tensor core cuts off", "[bfloat]") {
  CHECK(tf32_value(1.0F + 0x1p-11F) == 1.0F + 0x1p-10F);
  CHECK(tf32_value(1.0F + 0x1p-12F) == 1.0F);
  CHECK(tf32_operand(std::bit_cast<std::uint32_t>(1.0F + 0x1p-11F)) == 1.0F);
}
