// Conversions between numbers, with the rounding in the name, and between numbers and their bits.
#pragma once

#include "rounded_functions.hpp"

inline namespace cuda_on_cpu {

#define TILELAB_TO_INTEGER(name, Integer, Number)                                 \
  Integer name##_rn(Number a) TILELAB_IS(saturating<Integer>(std::nearbyint(a))); \
  Integer name##_rz(Number a) TILELAB_IS(saturating<Integer>(std::trunc(a)));     \
  Integer name##_ru(Number a) TILELAB_IS(saturating<Integer>(std::ceil(a)));      \
  Integer name##_rd(Number a) TILELAB_IS(saturating<Integer>(std::floor(a)));

TILELAB_TO_INTEGER(__float2int, int, float)
TILELAB_TO_INTEGER(__float2uint, unsigned, float)
TILELAB_TO_INTEGER(__float2ll, long long, float)
TILELAB_TO_INTEGER(__float2ull, unsigned long long, float)
TILELAB_TO_INTEGER(__double2int, int, double)
TILELAB_TO_INTEGER(__double2uint, unsigned, double)
TILELAB_TO_INTEGER(__double2ll, long long, double)
TILELAB_TO_INTEGER(__double2ull, unsigned long long, double)
#undef TILELAB_TO_INTEGER
TILELAB_ROUNDED(__int2float, float, (int a), same, a)
TILELAB_ROUNDED(__uint2float, float, (unsigned a), same, a)
TILELAB_ROUNDED(__ll2float, float, (long long a), same, a)
TILELAB_ROUNDED(__ull2float, float, (unsigned long long a), same, a)
double __int2double_rn(int a) TILELAB_IS(a);
double __uint2double_rn(unsigned a) TILELAB_IS(a);
TILELAB_ROUNDED(__ll2double, double, (long long a), same, a)
TILELAB_ROUNDED(__ull2double, double, (unsigned long long a), same, a)
TILELAB_ROUNDED(__double2float, float, (double a), same, a)
#undef TILELAB_ROUNDED
int __float_as_int(float a) TILELAB_IS(std::bit_cast<int>(a));
unsigned __float_as_uint(float a) TILELAB_IS(std::bit_cast<unsigned>(a));
float __int_as_float(int a) TILELAB_IS(std::bit_cast<float>(a));
float __uint_as_float(unsigned a) TILELAB_IS(std::bit_cast<float>(a));
long long __double_as_longlong(double a) TILELAB_IS(std::bit_cast<long long>(a));
double __longlong_as_double(long long a) TILELAB_IS(std::bit_cast<double>(a));
int __double2hiint(double a) TILELAB_IS(static_cast<int>(std::bit_cast<std::uint64_t>(a) >> 32));
int __double2loint(double a) TILELAB_IS(static_cast<int>(std::bit_cast<std::uint64_t>(a)));
double __hiloint2double(int high, int low)
    TILELAB_IS(std::bit_cast<double>((std::uint64_t{static_cast<unsigned>(high)} << 32) | static_cast<unsigned>(low)));

}  // namespace cuda_on_cpu
