// Arithmetic and conversions with the rounding in their names, and integer and special functions.
#include "executor/device/arithmetic_functions.hpp"

#include <cfenv>
#include <climits>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace cuda_on_cpu;
using Catch::Matchers::WithinRel;

TEST_CASE("sums and products round the way their names say", "[rounded_functions]") {
  const float tiny = std::ldexp(1.0f, -30), above = std::nextafter(1.0f, 2.0f), below = std::nextafter(1.0f, 0.0f);
  CHECK(__fadd_rn(1.0f, tiny) == 1.0f);
  CHECK(__fadd_ru(1.0f, tiny) == above);
  CHECK(__fadd_rd(1.0f, tiny) == 1.0f);
  CHECK(__fsub_rz(1.0f, tiny) == below);
  CHECK(__fsub_rn(1.0f, tiny) == 1.0f);
  CHECK(__fmul_ru(-above, above) == -__fmul_rd(above, above));
  CHECK(__fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f));
  CHECK(__frcp_rn(3.0f) == 1.0f / 3.0f);
  CHECK(std::nextafter(__fsqrt_rd(2.0f), 2.0f) == __fsqrt_ru(2.0f));
  CHECK(__fmaf_ru(1.0f, 1.0f, tiny) == above);
  CHECK(__dadd_rz(1.0, -1e-30) < 1.0);
  CHECK(__fma_rd(1.0, 1.0, -1e-30) == std::nextafter(1.0, 0.0));
  CHECK(__dsqrt_rn(4.0) == 2.0);
  CHECK(__frsqrt_rn(4.0f) == 0.5f);
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("conversions round and saturate", "[rounded_functions]") {
  CHECK(__float2int_rn(2.5f) == 2);
  CHECK(__float2int_ru(2.1f) == 3);
  CHECK(__float2int_rz(3e9f) == INT_MAX);
  CHECK(__double2uint_rd(-0.5) == 0);
  CHECK(__double2ll_rz(1e300) == LLONG_MAX);
  CHECK(__float2ull_rn(NAN) == 0);
  CHECK(__int2float_rz(16777219) == 16777218.0f);
  CHECK(__int2float_ru(16777217) == 16777218.0f);
  CHECK(__ull2float_rd(~0ull) < 18446744073709551616.0f);
  CHECK(__ll2double_ru(9007199254740993ll) == 9007199254740994.0);
  CHECK(__double2float_ru(1.0 + 1e-12) == std::nextafter(1.0f, 2.0f));
  CHECK(__hiloint2double(__double2hiint(-2.75), __double2loint(-2.75)) == -2.75);
}

TEST_CASE("bits are counted, shifted and multiplied", "[rounded_functions]") {
  CHECK(__brevll(1) == 1ull << 63);
  CHECK(__brev(6) == 3u << 29);
  CHECK(__mul64hi(-1, 5) == -1);
  CHECK(__umul64hi(~0ull, ~0ull) == ~0ull - 1);
  CHECK(__sad(INT_MIN, INT_MAX, 1) == 0);
  CHECK(__hadd(-3, 0) == -2);
  CHECK(__rhadd(-3, 0) == -1);
  CHECK(__urhadd(~0u, ~0u) == ~0u);
  CHECK(__funnelshift_l(0x80000000u, 1, 1) == 3);
  CHECK(__funnelshift_l(7, 9, 32) == 9);
  CHECK(__funnelshift_lc(7, 9, 40) == 7);
  CHECK(__funnelshift_r(7, 9, 32) == 7);
  CHECK(__funnelshift_rc(7, 9, 32) == 9);
  CHECK(__fns(0b10110, 0, 2) == 2);
  CHECK(__fns(0b10110, 4, -2) == 2);
  CHECK(__fns(0b10110, 1, 0) == 1);
  CHECK(__fns(0b10110, 0, 4) == ~0u);
  CHECK(__dp4a(static_cast<int>(0xFF020304u), 0x01010101, 10) == 10 - 1 + 2 + 3 + 4);
  CHECK(__dp4a(0xFF020304u, 0x01010101u, 10u) == 10 + 255 + 2 + 3 + 4);
  CHECK(__dp2a_lo(0x00030002, 0x07060504, 1) == 1 + 2 * 4 + 3 * 5);
  CHECK(__dp2a_hi(0x00030002, 0x07060504, 1) == 1 + 2 * 6 + 3 * 7);
}

TEST_CASE("special functions meet known values and undo one another", "[rounded_functions]") {
  CHECK(sinpi(1.0) == 0.0);
  CHECK(sinpi(2.5) == 1.0);
  CHECK(cospi(0.5) == 0.0);
  CHECK(cospi(-3.0) == -1.0);
  CHECK_THAT(sinpi(1.0 / 6), WithinRel(0.5, 1e-14));
  CHECK_THAT(normcdf(1.96), WithinRel(0.9750021048517795, 1e-14));
  CHECK_THAT(normcdfinv(0.975), WithinRel(1.959963984540054, 1e-13));
  CHECK_THAT(erfcx(1.0), WithinRel(0.427583576155807, 1e-13));
  CHECK_THAT(erfcx(50.0), WithinRel(0.0112815362653238, 1e-12));
  CHECK_THAT(erfcx(std::nextafter(10.0, 0.0)), WithinRel(erfcx(10.0), 1e-13));
  for (const double y : {-0.999, -0.4, 1e-10, 0.3, 0.7, 0.999999}) CHECK_THAT(std::erf(erfinv(y)), WithinRel(y, 1e-13));
  for (const double q : {1e-300, 1e-5, 0.5, 1.5}) CHECK_THAT(std::erfc(erfcinv(q)), WithinRel(q, 1e-11));
  CHECK(std::isinf(erfinv(1.0)));
  CHECK(std::isnan(erfinv(1.5)));
  CHECK_THAT(cyl_bessel_i0(1.0), WithinRel(1.2660658777520082, 1e-13));
  CHECK_THAT(cyl_bessel_i1(-1.0), WithinRel(-0.5651591039924851, 1e-13));
  CHECK_THAT(rnorm4d(1.0, 2.0, 2.0, 4.0), WithinRel(0.2, 1e-15));
}
