// CUDA's half-precision functions and operators, as a kernel calls them.
#include "executor/device/half_functions.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

using namespace cuda_on_cpu::cuda_fp16_on_cpu;

namespace {

__half nan_half() { return __ushort_as_half(0x7FFF); }

}  // namespace

TEST_CASE("halves are added, multiplied and divided as numbers, rounded to nearest even", "[half_functions]") {
  CHECK(__half2float(__hadd(__half(2048.0f), __half(1.0f))) == 2048.0f);
  CHECK(__half2float(__hadd(__half(2050.0f), __half(1.0f))) == 2052.0f);
  CHECK(__half2float(__hsub(__half(1.0f), __half(3.0f))) == -2.0f);
  CHECK(__half2float(__hmul(__half(1.5f), __half(-2.0f))) == -3.0f);
  CHECK(__half_as_ushort(__hdiv(__half(1.0f), __half(3.0f))) == 0x3555);
  CHECK(__half_as_ushort(hsqrt(__half(2.0f))) == 0x3DA8);
  CHECK(__hisinf(__hadd(__half(65504.0f), __half(65504.0f))) == 1);
  CHECK(__half2float(__hmul_sat(__half(2.0f), __half(2.0f))) == 1.0f);
  CHECK(__half_as_ushort(__hadd_sat(nan_half(), nan_half())) == 0);
  CHECK(__half2float(__hfma_relu(__half(-2.0f), __half(2.0f), __half(1.0f))) == 0.0f);
}

TEST_CASE("with NaN, comparisons are false, and their unordered versions true", "[half_functions]") {
  const __half one(1.0f), nan = nan_half();
  for (const auto compare : {__heq, __hne, __hlt, __hle, __hgt, __hge}) CHECK_FALSE(compare(one, nan));
  for (const auto compare : {__hequ, __hneu, __hltu, __hleu, __hgtu, __hgeu}) CHECK(compare(nan, one));
  CHECK(nan != nan);
  CHECK_FALSE(nan == nan);
  CHECK(__half2float(__hmax(one, nan)) == 1.0f);
  CHECK(__half2float(__hmin(nan, one)) == 1.0f);
  CHECK(__hisnan(__hmax_nan(one, nan)));
  CHECK(__hisnan(__hmin_nan(one, nan)));
  CHECK(__half2float(__hmin_nan(one, __half(-2.0f))) == -2.0f);
  CHECK(__half_as_ushort(__hmax(__half(-0.0f), __half(0.0f))) == 0);
}

TEST_CASE("halves become whole numbers and come from them with the rounding asked for", "[half_functions]") {
  CHECK(__half2int_rn(__half(2.5f)) == 2);
  CHECK(__half2int_rz(__half(-2.5f)) == -2);
  CHECK(__half2int_ru(__half(2.25f)) == 3);
  CHECK(__half2int_rd(__half(-2.25f)) == -3);
  CHECK(__half2uint_rz(__half(-7.0f)) == 0);
  CHECK(__half2short_rn(__ushort_as_half(0x7C00)) == 32767);
  CHECK(__half2ll_rz(nan_half()) == 0);
  CHECK(__half2float(__int2half_rn(2049)) == 2048.0f);
  CHECK(__half2float(__int2half_ru(2049)) == 2050.0f);
  CHECK(__hisinf(__ll2half_rn(-(1ll << 62))) == -1);
  CHECK(__half2float(__ull2half_rz(~0ull)) == 65504.0f);
  CHECK(static_cast<int>(__half(-3.75f)) == -3);
  CHECK(static_cast<float>(__half(7)) == 7.0f);
}

TEST_CASE("pairs are computed half by half", "[half_functions]") {
  const __half2 a = __floats2half2_rn(1.5f, -2.0f), b = make_half2(2.0f, 4.0f);
  const __half2 sum = a + b, fused = __hfma2(a, b, b), swapped = __lowhigh2highlow(a);
  CHECK(__low2float(sum) == 3.5f);
  CHECK(__high2float(sum) == 2.0f);
  CHECK(__low2float(fused) == 5.0f);
  CHECK(__high2float(fused) == -4.0f);
  CHECK(__low2float(swapped) == -2.0f);
  CHECK(__hgt2_mask(b, a) == 0xFFFFFFFFu);
  CHECK(__hlt2_mask(a, __half2half2(0.0f)) == 0xFFFF0000u);
  CHECK_FALSE(__hbgt2(a, __half2half2(0.0f)));
}

TEST_CASE("operators count, assign and compare", "[half_functions]") {
  __half a = 1.0f;
  a += __half(2.0f);
  a *= __half(0.5f);
  CHECK(__half2float(a++) == 1.5f);
  CHECK(__half2float(--a) == 1.5f);
  CHECK(__half2float(-a) == -1.5f);
  CHECK(a > __half(1.0f));
  CHECK_FALSE(a <= __half(1.0f));
  a = 3;
  CHECK(a == __half(3.0));
}
