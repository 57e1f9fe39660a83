// Conversions and arithmetic of device/half_functions.hpp for one number. They compute in double and round once. In double, sums,
// products and quotients of halves are exact or cannot be ties.
#include "simt/device/half_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simt/arithmetic/half_bits.hpp"

using tilelab::simt::half_bits;
using tilelab::simt::half_fused;
using tilelab::simt::half_value;
using tilelab::simt::HalfRounding;

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {
namespace {

__half of_bits(unsigned bits) {
  __half result;
  result.__x = static_cast<unsigned short>(bits);
  return result;
}

__half rounded(double a, HalfRounding rounding = HalfRounding::to_nearest_even) { return of_bits(half_bits(a, rounding)); }
double value(__half a) { return half_value(a.__x); }
bool unordered(__half a, __half b) { return std::isnan(value(a)) || std::isnan(value(b)); }

// Limits to [0, 1]; NaN becomes 0.
__half saturated(__half a) { return value(a) > 0.0 ? rounded(std::min(value(a), 1.0)) : of_bits(0); }
__half at_least_zero(__half a) { return std::isnan(value(a)) || value(a) > 0.0 ? a : of_bits(0); }

// A number is preferred to NaN, except with `nan_wins`. +0 counts as larger than -0.
__half larger(__half a, __half b, bool nan_wins) {
  const bool a_is_nan = std::isnan(value(a)), b_is_nan = std::isnan(value(b));
  if ((a_is_nan && b_is_nan) || (nan_wins && (a_is_nan || b_is_nan))) return of_bits(0x7FFF);
  if (a_is_nan || b_is_nan) return a_is_nan ? b : a;
  if (value(a) == value(b)) return (a.__x & 0x8000u) != 0 ? b : a;
  return value(a) > value(b) ? a : b;
}

// Saturates; NaN becomes 0.
template <typename Integer>
Integer whole(__half a, HalfRounding rounding) {
  const double exact = value(a);
  if (std::isnan(exact)) return 0;
  const double rounded = rounding == HalfRounding::to_nearest_even ? std::nearbyint(exact)
                         : rounding == HalfRounding::towards_zero  ? std::trunc(exact)
                         : rounding == HalfRounding::up            ? std::ceil(exact)
                                                                   : std::floor(exact);
  constexpr auto low = std::numeric_limits<Integer>::min(), high = std::numeric_limits<Integer>::max();
  if (rounded <= static_cast<double>(low)) return low;
  return rounded >= static_cast<double>(high) ? high : static_cast<Integer>(rounded);
}

}  // namespace

__half __float2half(float a) { return rounded(a); }
__half __float2half_rn(float a) { return rounded(a, HalfRounding::to_nearest_even); }
__half __float2half_rz(float a) { return rounded(a, HalfRounding::towards_zero); }
__half __float2half_ru(float a) { return rounded(a, HalfRounding::up); }
__half __float2half_rd(float a) { return rounded(a, HalfRounding::down); }
__half __double2half(double a) { return rounded(a); }
float __half2float(__half a) { return static_cast<float>(value(a)); }
short __half2short_rn(__half a) { return whole<short>(a, HalfRounding::to_nearest_even); }
short __half2short_rz(__half a) { return whole<short>(a, HalfRounding::towards_zero); }
short __half2short_ru(__half a) { return whole<short>(a, HalfRounding::up); }
short __half2short_rd(__half a) { return whole<short>(a, HalfRounding::down); }
__half __short2half_rn(short a) { return rounded(a, HalfRounding::to_nearest_even); }
__half __short2half_rz(short a) { return rounded(a, HalfRounding::towards_zero); }
__half __short2half_ru(short a) { return rounded(a, HalfRounding::up); }
__half __short2half_rd(short a) { return rounded(a, HalfRounding::down); }
unsigned short __half2ushort_rn(__half a) { return whole<unsigned short>(a, HalfRounding::to_nearest_even); }
unsigned short __half2ushort_rz(__half a) { return whole<unsigned short>(a, HalfRounding::towards_zero); }
unsigned short __half2ushort_ru(__half a) { return whole<unsigned short>(a, HalfRounding::up); }
unsigned short __half2ushort_rd(__half a) { return whole<unsigned short>(a, HalfRounding::down); }
__half __ushort2half_rn(unsigned short a) { return rounded(a, HalfRounding::to_nearest_even); }
__half __ushort2half_rz(unsigned short a) { return rounded(a, HalfRounding::towards_zero); }
__half __ushort2half_ru(unsigned short a) { return rounded(a, HalfRounding::up); }
__half __ushort2half_rd(unsigned short a) { return rounded(a, HalfRounding::down); }
int __half2int_rn(__half a) { return whole<int>(a, HalfRounding::to_nearest_even); }
int __half2int_rz(__half a) { return whole<int>(a, HalfRounding::towards_zero); }
int __half2int_ru(__half a) { return whole<int>(a, HalfRounding::up); }
int __half2int_rd(__half a) { return whole<int>(a, HalfRounding::down); }
__half __int2half_rn(int a) { return rounded(a, HalfRounding::to_nearest_even); }
__half __int2half_rz(int a) { return rounded(a, HalfRounding::towards_zero); }
__half __int2half_ru(int a) { return rounded(a, HalfRounding::up); }
__half __int2half_rd(int a) { return rounded(a, HalfRounding::down); }
unsigned __half2uint_rn(__half a) { return whole<unsigned>(a, HalfRounding::to_nearest_even); }
unsigned __half2uint_rz(__half a) { return whole<unsigned>(a, HalfRounding::towards_zero); }
unsigned __half2uint_ru(__half a) { return whole<unsigned>(a, HalfRounding::up); }
unsigned __half2uint_rd(__half a) { return whole<unsigned>(a, HalfRounding::down); }
__half __uint2half_rn(unsigned a) { return rounded(a, HalfRounding::to_nearest_even); }
__half __uint2half_rz(unsigned a) { return rounded(a, HalfRounding::towards_zero); }
__half __uint2half_ru(unsigned a) { return rounded(a, HalfRounding::up); }
__half __uint2half_rd(unsigned a) { return rounded(a, HalfRounding::down); }
long long __half2ll_rn(__half a) { return whole<long long>(a, HalfRounding::to_nearest_even); }
long long __half2ll_rz(__half a) { return whole<long long>(a, HalfRounding::towards_zero); }
long long __half2ll_ru(__half a) { return whole<long long>(a, HalfRounding::up); }
long long __half2ll_rd(__half a) { return whole<long long>(a, HalfRounding::down); }
__half __ll2half_rn(long long a) {
  return rounded(a > 65536 ? 1e9 : a < -65536 ? -1e9 : static_cast<double>(a), HalfRounding::to_nearest_even);
}
__half __ll2half_rz(long long a) {
  return rounded(a > 65536 ? 1e9 : a < -65536 ? -1e9 : static_cast<double>(a), HalfRounding::towards_zero);
}
__half __ll2half_ru(long long a) { return rounded(a > 65536 ? 1e9 : a < -65536 ? -1e9 : static_cast<double>(a), HalfRounding::up); }
__half __ll2half_rd(long long a) { return rounded(a > 65536 ? 1e9 : a < -65536 ? -1e9 : static_cast<double>(a), HalfRounding::down); }
unsigned long long __half2ull_rn(__half a) { return whole<unsigned long long>(a, HalfRounding::to_nearest_even); }
unsigned long long __half2ull_rz(__half a) { return whole<unsigned long long>(a, HalfRounding::towards_zero); }
unsigned long long __half2ull_ru(__half a) { return whole<unsigned long long>(a, HalfRounding::up); }
unsigned long long __half2ull_rd(__half a) { return whole<unsigned long long>(a, HalfRounding::down); }
__half __ull2half_rn(unsigned long long a) { return rounded(a > 65536 ? 1e9 : static_cast<double>(a), HalfRounding::to_nearest_even); }
__half __ull2half_rz(unsigned long long a) { return rounded(a > 65536 ? 1e9 : static_cast<double>(a), HalfRounding::towards_zero); }
__half __ull2half_ru(unsigned long long a) { return rounded(a > 65536 ? 1e9 : static_cast<double>(a), HalfRounding::up); }
__half __ull2half_rd(unsigned long long a) { return rounded(a > 65536 ? 1e9 : static_cast<double>(a), HalfRounding::down); }
signed char __half2char_rz(__half a) { return whole<signed char>(a, HalfRounding::towards_zero); }
unsigned char __half2uchar_rz(__half a) { return whole<unsigned char>(a, HalfRounding::towards_zero); }
short __half_as_short(__half a) { return static_cast<short>(a.__x); }
unsigned short __half_as_ushort(__half a) { return a.__x; }
__half __short_as_half(short a) { return of_bits(static_cast<unsigned short>(a)); }
__half __ushort_as_half(unsigned short a) { return of_bits(a); }
__half __hadd(__half a, __half b) { return rounded(value(a) + value(b)); }
__half __hadd_rn(__half a, __half b) { return rounded(value(a) + value(b)); }
__half __hadd_sat(__half a, __half b) { return saturated(rounded(value(a) + value(b))); }
__half __hsub(__half a, __half b) { return rounded(value(a) - value(b)); }
__half __hsub_rn(__half a, __half b) { return rounded(value(a) - value(b)); }
__half __hsub_sat(__half a, __half b) { return saturated(rounded(value(a) - value(b))); }
__half __hmul(__half a, __half b) { return rounded(value(a) * value(b)); }
__half __hmul_rn(__half a, __half b) { return rounded(value(a) * value(b)); }
__half __hmul_sat(__half a, __half b) { return saturated(rounded(value(a) * value(b))); }
__half __hdiv(__half a, __half b) { return rounded(value(a) / value(b)); }
__half __hfma(__half a, __half b, __half c) { return of_bits(half_fused(value(a), value(b), value(c))); }
__half __hfma_sat(__half a, __half b, __half c) { return saturated(__hfma(a, b, c)); }
__half __hfma_relu(__half a, __half b, __half c) { return at_least_zero(__hfma(a, b, c)); }
__half __hneg(__half a) { return of_bits(a.__x ^ 0x8000u); }
__half __habs(__half a) { return of_bits(a.__x & 0x7FFFu); }
__half __hmax(__half a, __half b) { return larger(a, b, false); }
__half __hmin(__half a, __half b) { return __hneg(larger(__hneg(a), __hneg(b), false)); }
__half __hmax_nan(__half a, __half b) { return larger(a, b, true); }
__half __hmin_nan(__half a, __half b) {
  return larger(__hneg(a), __hneg(b), true).__x == 0x7FFF ? of_bits(0x7FFF) : __hneg(larger(__hneg(a), __hneg(b), true));
}
bool __heq(__half a, __half b) { return value(a) == value(b); }
bool __hne(__half a, __half b) { return value(a) < value(b) || value(a) > value(b); }
bool __hlt(__half a, __half b) { return value(a) < value(b); }
bool __hle(__half a, __half b) { return value(a) <= value(b); }
bool __hgt(__half a, __half b) { return value(a) > value(b); }
bool __hge(__half a, __half b) { return value(a) >= value(b); }
bool __hequ(__half a, __half b) { return unordered(a, b) || value(a) == value(b); }
bool __hneu(__half a, __half b) { return unordered(a, b) || value(a) != value(b); }
bool __hltu(__half a, __half b) { return unordered(a, b) || value(a) < value(b); }
bool __hleu(__half a, __half b) { return unordered(a, b) || value(a) <= value(b); }
bool __hgtu(__half a, __half b) { return unordered(a, b) || value(a) > value(b); }
bool __hgeu(__half a, __half b) { return unordered(a, b) || value(a) >= value(b); }
bool __hisnan(__half a) { return std::isnan(value(a)); }
int __hisinf(__half a) { return a.__x == 0x7C00u ? 1 : a.__x == 0xFC00u ? -1 : 0; }
__half hsqrt(__half a) { return rounded(std::sqrt(value(a))); }
__half hrsqrt(__half a) { return rounded(1.0 / std::sqrt(value(a))); }
__half hrcp(__half a) { return rounded(1.0 / value(a)); }
__half hlog(__half a) { return rounded(std::log(value(a))); }
__half hlog2(__half a) { return rounded(std::log2(value(a))); }
__half hlog10(__half a) { return rounded(std::log10(value(a))); }
__half hexp(__half a) { return rounded(std::exp(value(a))); }
__half hexp2(__half a) { return rounded(std::exp2(value(a))); }
__half hexp10(__half a) { return rounded(std::pow(10.0, value(a))); }
__half hsin(__half a) { return rounded(std::sin(value(a))); }
__half hcos(__half a) { return rounded(std::cos(value(a))); }
__half htanh(__half a) { return rounded(std::tanh(value(a))); }
__half htanh_approx(__half a) { return rounded(std::tanh(value(a))); }
__half hceil(__half a) { return rounded(std::ceil(value(a))); }
__half hfloor(__half a) { return rounded(std::floor(value(a))); }
__half htrunc(__half a) { return rounded(std::trunc(value(a))); }
__half hrint(__half a) { return rounded(std::nearbyint(value(a))); }

}  // namespace cuda_fp16_on_cpu
}  // namespace cuda_on_cpu
