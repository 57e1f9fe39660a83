// Half precision compared with IEEE 754, and with exact integer arithmetic.
#include "executor/arithmetic/half_bits.hpp"

#include <cstdint>
#include <random>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

__extension__ using Wide = __int128;

constexpr std::uint16_t largest = 0x7BFF, infinity = 0x7C00, nan_bits = 0x7FFF, minus = 0x8000;

// units * 2^-48, rounded to the nearest half by counting bits.
std::uint16_t nearest(Wide units) {
  const bool negative = units < 0;
  Wide magnitude = negative ? -units : units;
  int bits = 0;
  for (Wide rest = magnitude; rest != 0; rest >>= 1) ++bits;
  int shift = bits - 11 > 24 ? bits - 11 : 24;  // of the last place: 2^-24 for subnormals
  Wide count = magnitude >> shift;
  const Wide rest = magnitude - (count << shift), half = Wide{1} << (shift - 1);
  if (rest > half || (rest == half && (count & 1) != 0)) ++count;
  if (count == 2048) {
    count = 1024;
    ++shift;
  }
  const int exponent = count < 1024 ? 0 : shift - 24 + 1;
  const auto sign = static_cast<std::uint16_t>(negative ? minus : 0);
  if (exponent > 30) return sign | infinity;
  return static_cast<std::uint16_t>(sign | exponent << 10 | (static_cast<int>(count) & 0x3FF));
}

Wide units_of(double half) { return static_cast<Wide>(std::ldexp(half, 24)) << 24; }

}  // namespace

TEST_CASE("every half comes back from its value", "[half_bits]") {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = half_value(half);
    const bool is_nan = (half & 0x7FFFu) > infinity;
    if (std::isnan(value) != is_nan || half_bits(value) != (is_nan ? nan_bits : half)) FAIL_CHECK("bits " << bits);
  }
  CHECK(half_value(0x3C00) == 1.0);
  CHECK(half_value(0x0001) == std::ldexp(1.0, -24));
  CHECK(half_value(0x03FF) == std::ldexp(1023.0, -24));
  CHECK(half_value(0x0400) == std::ldexp(1.0, -14));
  CHECK(half_value(largest) == 65504.0);
  CHECK(half_value(minus | 0x4200) == -3.0);
}

TEST_CASE("a tie goes to the even neighbour, everything else to the nearer one", "[half_bits]") {
  for (unsigned bits = 0; bits < largest; ++bits) {
    const auto lower = static_cast<std::uint16_t>(bits), upper = static_cast<std::uint16_t>(bits + 1);
    const double low = half_value(lower), high = half_value(upper), middle = (low + high) / 2;
    const std::uint16_t even = (bits & 1u) == 0 ? lower : upper;
    const double below = std::nextafter(middle, low), above = std::nextafter(middle, high);
    if (half_bits(middle) != even || half_bits(below) != lower || half_bits(above) != upper) FAIL_CHECK("bits " << bits);
    if (half_bits(-middle) != (even | minus) || half_bits(-above) != (upper | minus)) FAIL_CHECK("minus bits " << bits);
  }
}

TEST_CASE("rounding goes the way it is asked to", "[half_bits]") {
  const double between = 1.0 + std::ldexp(1.0, -12);  // between the halves 1 and 1 + 2^-10, nearer to 1
  CHECK(half_bits(between, HalfRounding::towards_zero) == 0x3C00);
  CHECK(half_bits(between, HalfRounding::down) == 0x3C00);
  CHECK(half_bits(between, HalfRounding::up) == 0x3C01);
  CHECK(half_bits(-between, HalfRounding::towards_zero) == 0xBC00);
  CHECK(half_bits(-between, HalfRounding::up) == 0xBC00);
  CHECK(half_bits(-between, HalfRounding::down) == 0xBC01);
  CHECK(half_bits(1e-300, HalfRounding::up) == 0x0001);
  CHECK(half_bits(1e-300, HalfRounding::down) == 0x0000);
  CHECK(half_bits(1.0, HalfRounding::up) == 0x3C00);
}

TEST_CASE("what is too large becomes infinity, or the largest number where rounding goes the other way", "[half_bits]") {
  CHECK(half_bits(std::nextafter(65520.0, 0.0)) == largest);
  CHECK(half_bits(65520.0) == infinity);
  CHECK(half_bits(1e300) == infinity);
  CHECK(half_bits(-1e300) == (infinity | minus));
  CHECK(half_bits(1e300, HalfRounding::towards_zero) == largest);
  CHECK(half_bits(1e300, HalfRounding::down) == largest);
  CHECK(half_bits(-1e300, HalfRounding::up) == (largest | minus));
  CHECK(half_bits(HUGE_VAL, HalfRounding::towards_zero) == infinity);
  CHECK(half_bits(NAN) == nan_bits);
  CHECK(half_bits(-0.0) == minus);
}

TEST_CASE("a multiplication and an addition are rounded once", "[half_bits]") {
  std::mt19937 random(11);
  const auto any = [&] {
    std::uint16_t bits = 0;
    do bits = static_cast<std::uint16_t>(random());
    while ((bits & infinity) == infinity);
    return half_value(bits);
  };
  for (int i = 0; i < 200'000; ++i) {
    const double a = any(), b = any(), c = any();
    const Wide exact = static_cast<Wide>(std::ldexp(a, 24)) * static_cast<Wide>(std::ldexp(b, 24)) + units_of(c);
    const std::uint16_t got = half_fused(a, b, c);
    if (exact != 0 && got != nearest(exact)) FAIL_CHECK(a << " * " << b << " + " << c << " is not " << half_value(got));
  }
  // 33 * 31 * 3 = 3069 is a tie between 3068 and 3070. Only the smallest addend decides it.
  const double smallest = half_value(0x0001);
  CHECK(half_fused(99.0, 31.0, 0.0) == half_bits(3068.0));
  CHECK(half_fused(99.0, 31.0, smallest) == half_bits(3070.0));
  CHECK(half_fused(99.0, 31.0, -smallest) == half_bits(3068.0));
  CHECK(std::isnan(half_value(half_fused(HUGE_VAL, 0.0, 1.0))));
  CHECK(half_fused(HUGE_VAL, 1.0, 1.0) == infinity);
}
