// The conversions of device/conversion_functions.hpp.
#include "simt/device/conversion_functions.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simt/device_impl/rounding_mode.hpp"

using tilelab::simt::RoundingMode;

namespace {

// CUDA's conversions saturate, and turn NaN into 0. `a` is a whole number.
template <typename Integer>
Integer saturating(double a) {
  if (std::isnan(a)) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<Integer>::min()),
                   high = static_cast<double>(std::numeric_limits<Integer>::max());
  return a <= low ? std::numeric_limits<Integer>::min() : a >= high ? std::numeric_limits<Integer>::max() : static_cast<Integer>(a);
}

// Volatile keeps the conversion between the two changes of the rounding mode.
template <typename To, typename From>
To rounded(int mode, From a) {
  const RoundingMode rounds(mode);
  const volatile From kept = a;
  const volatile To result = static_cast<To>(kept);
  return result;
}

}  // namespace

inline namespace cuda_on_cpu {

int __float2int_rn(float a) { return saturating<int>(std::nearbyint(a)); }
int __float2int_rz(float a) { return saturating<int>(std::trunc(a)); }
int __float2int_ru(float a) { return saturating<int>(std::ceil(a)); }
int __float2int_rd(float a) { return saturating<int>(std::floor(a)); }
unsigned __float2uint_rn(float a) { return saturating<unsigned>(std::nearbyint(a)); }
unsigned __float2uint_rz(float a) { return saturating<unsigned>(std::trunc(a)); }
unsigned __float2uint_ru(float a) { return saturating<unsigned>(std::ceil(a)); }
unsigned __float2uint_rd(float a) { return saturating<unsigned>(std::floor(a)); }
long long __float2ll_rn(float a) { return saturating<long long>(std::nearbyint(a)); }
long long __float2ll_rz(float a) { return saturating<long long>(std::trunc(a)); }
long long __float2ll_ru(float a) { return saturating<long long>(std::ceil(a)); }
long long __float2ll_rd(float a) { return saturating<long long>(std::floor(a)); }
unsigned long long __float2ull_rn(float a) { return saturating<unsigned long long>(std::nearbyint(a)); }
unsigned long long __float2ull_rz(float a) { return saturating<unsigned long long>(std::trunc(a)); }
unsigned long long __float2ull_ru(float a) { return saturating<unsigned long long>(std::ceil(a)); }
unsigned long long __float2ull_rd(float a) { return saturating<unsigned long long>(std::floor(a)); }
int __double2int_rn(double a) { return saturating<int>(std::nearbyint(a)); }
int __double2int_rz(double a) { return saturating<int>(std::trunc(a)); }
int __double2int_ru(double a) { return saturating<int>(std::ceil(a)); }
int __double2int_rd(double a) { return saturating<int>(std::floor(a)); }
unsigned __double2uint_rn(double a) { return saturating<unsigned>(std::nearbyint(a)); }
unsigned __double2uint_rz(double a) { return saturating<unsigned>(std::trunc(a)); }
unsigned __double2uint_ru(double a) { return saturating<unsigned>(std::ceil(a)); }
unsigned __double2uint_rd(double a) { return saturating<unsigned>(std::floor(a)); }
long long __double2ll_rn(double a) { return saturating<long long>(std::nearbyint(a)); }
long long __double2ll_rz(double a) { return saturating<long long>(std::trunc(a)); }
long long __double2ll_ru(double a) { return saturating<long long>(std::ceil(a)); }
long long __double2ll_rd(double a) { return saturating<long long>(std::floor(a)); }
unsigned long long __double2ull_rn(double a) { return saturating<unsigned long long>(std::nearbyint(a)); }
unsigned long long __double2ull_rz(double a) { return saturating<unsigned long long>(std::trunc(a)); }
unsigned long long __double2ull_ru(double a) { return saturating<unsigned long long>(std::ceil(a)); }
unsigned long long __double2ull_rd(double a) { return saturating<unsigned long long>(std::floor(a)); }
float __int2float_rn(int a) { return rounded<float>(FE_TONEAREST, a); }
float __int2float_rz(int a) { return rounded<float>(FE_TOWARDZERO, a); }
float __int2float_ru(int a) { return rounded<float>(FE_UPWARD, a); }
float __int2float_rd(int a) { return rounded<float>(FE_DOWNWARD, a); }
float __uint2float_rn(unsigned a) { return rounded<float>(FE_TONEAREST, a); }
float __uint2float_rz(unsigned a) { return rounded<float>(FE_TOWARDZERO, a); }
float __uint2float_ru(unsigned a) { return rounded<float>(FE_UPWARD, a); }
float __uint2float_rd(unsigned a) { return rounded<float>(FE_DOWNWARD, a); }
float __ll2float_rn(long long a) { return rounded<float>(FE_TONEAREST, a); }
float __ll2float_rz(long long a) { return rounded<float>(FE_TOWARDZERO, a); }
float __ll2float_ru(long long a) { return rounded<float>(FE_UPWARD, a); }
float __ll2float_rd(long long a) { return rounded<float>(FE_DOWNWARD, a); }
float __ull2float_rn(unsigned long long a) { return rounded<float>(FE_TONEAREST, a); }
float __ull2float_rz(unsigned long long a) { return rounded<float>(FE_TOWARDZERO, a); }
float __ull2float_ru(unsigned long long a) { return rounded<float>(FE_UPWARD, a); }
float __ull2float_rd(unsigned long long a) { return rounded<float>(FE_DOWNWARD, a); }
double __int2double_rn(int a) { return rounded<double>(FE_TONEAREST, a); }
double __uint2double_rn(unsigned a) { return rounded<double>(FE_TONEAREST, a); }
double __ll2double_rn(long long a) { return rounded<double>(FE_TONEAREST, a); }
double __ll2double_rz(long long a) { return rounded<double>(FE_TOWARDZERO, a); }
double __ll2double_ru(long long a) { return rounded<double>(FE_UPWARD, a); }
double __ll2double_rd(long long a) { return rounded<double>(FE_DOWNWARD, a); }
double __ull2double_rn(unsigned long long a) { return rounded<double>(FE_TONEAREST, a); }
double __ull2double_rz(unsigned long long a) { return rounded<double>(FE_TOWARDZERO, a); }
double __ull2double_ru(unsigned long long a) { return rounded<double>(FE_UPWARD, a); }
double __ull2double_rd(unsigned long long a) { return rounded<double>(FE_DOWNWARD, a); }
float __double2float_rn(double a) { return rounded<float>(FE_TONEAREST, a); }
float __double2float_rz(double a) { return rounded<float>(FE_TOWARDZERO, a); }
float __double2float_ru(double a) { return rounded<float>(FE_UPWARD, a); }
float __double2float_rd(double a) { return rounded<float>(FE_DOWNWARD, a); }
int __float_as_int(float a) { return std::bit_cast<int>(a); }
unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
float __int_as_float(int a) { return std::bit_cast<float>(a); }
float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }
int __double2hiint(double a) { return static_cast<int>(std::bit_cast<std::uint64_t>(a) >> 32); }
int __double2loint(double a) { return static_cast<int>(std::bit_cast<std::uint64_t>(a)); }
double __hiloint2double(int high, int low) {
  return std::bit_cast<double>((std::uint64_t{static_cast<unsigned>(high)} << 32) | static_cast<unsigned>(low));
}

}  // namespace cuda_on_cpu
