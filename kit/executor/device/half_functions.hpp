// Half-precision arithmetic by name and by operators, for one number and for pairs, and bfloat16. Results are correctly rounded, also
// subnormal ones. They are computed in double and rounded once: there, sums, products and quotients of halves are exact or cannot be ties.
#pragma once

#include "half_types.hpp"
#include "memory_functions.hpp"
#include "thread_functions.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

// Conversions.
__half __float2half(float a) TILELAB_IS(rounded(a));
__half __float2half_rn(float a) TILELAB_IS(rounded(a, HalfRounding::to_nearest_even));
__half __float2half_rz(float a) TILELAB_IS(rounded(a, HalfRounding::towards_zero));
__half __float2half_ru(float a) TILELAB_IS(rounded(a, HalfRounding::up));
__half __float2half_rd(float a) TILELAB_IS(rounded(a, HalfRounding::down));
__half __double2half(double a) TILELAB_IS(rounded(a));
float __half2float(__half a) TILELAB_IS(static_cast<float>(value(a)));
#define TILELAB_HALF_CONVERSIONS(name, Integer)                                                      \
  Integer __half2##name##_rn(__half a) TILELAB_IS(whole<Integer>(a, HalfRounding::to_nearest_even)); \
  __half __##name##2half_rn(Integer a)TILELAB_IS(rounded_integer(a, HalfRounding::to_nearest_even)); \
  Integer __half2##name##_rz(__half a) TILELAB_IS(whole<Integer>(a, HalfRounding::towards_zero));    \
  __half __##name##2half_rz(Integer a)TILELAB_IS(rounded_integer(a, HalfRounding::towards_zero));    \
  Integer __half2##name##_ru(__half a) TILELAB_IS(whole<Integer>(a, HalfRounding::up));              \
  __half __##name##2half_ru(Integer a)TILELAB_IS(rounded_integer(a, HalfRounding::up));              \
  Integer __half2##name##_rd(__half a) TILELAB_IS(whole<Integer>(a, HalfRounding::down));            \
  __half __##name##2half_rd(Integer a)TILELAB_IS(rounded_integer(a, HalfRounding::down));
TILELAB_HALF_CONVERSIONS(short, short)
TILELAB_HALF_CONVERSIONS(ushort, unsigned short)
TILELAB_HALF_CONVERSIONS(int, int)
TILELAB_HALF_CONVERSIONS(uint, unsigned)
TILELAB_HALF_CONVERSIONS(ll, long long)
TILELAB_HALF_CONVERSIONS(ull, unsigned long long)
#undef TILELAB_HALF_CONVERSIONS
signed char __half2char_rz(__half a) TILELAB_IS(whole<signed char>(a, HalfRounding::towards_zero));
unsigned char __half2uchar_rz(__half a) TILELAB_IS(whole<unsigned char>(a, HalfRounding::towards_zero));
short __half_as_short(__half a) TILELAB_IS(static_cast<short>(a.__x));
unsigned short __half_as_ushort(__half a) TILELAB_IS(a.__x);
__half __short_as_half(short a) TILELAB_IS(of_bits(static_cast<unsigned short>(a)));
__half __ushort_as_half(unsigned short a) TILELAB_IS(of_bits(a));

// For one number, and for the two of a pair.
#define TILELAB_HALF_OF_ONE(name, name2, ...)    \
  __half name(__half a) TILELAB_IS(__VA_ARGS__); \
  __half2 name2(__half2 a) TILELAB_IS({name(a.x), name(a.y)});
#define TILELAB_HALF_OF_TWO(name, name2, ...)              \
  __half name(__half a, __half b) TILELAB_IS(__VA_ARGS__); \
  __half2 name2(__half2 a, __half2 b) TILELAB_IS({name(a.x, b.x), name(a.y, b.y)});
#define TILELAB_HALF_OF_THREE(name, name2, ...)                      \
  __half name(__half a, __half b, __half c) TILELAB_IS(__VA_ARGS__); \
  __half2 name2(__half2 a, __half2 b, __half2 c) TILELAB_IS({name(a.x, b.x, c.x), name(a.y, b.y, c.y)});

TILELAB_HALF_OF_TWO(__hadd, __hadd2, rounded(value(a) + value(b)))
TILELAB_HALF_OF_TWO(__hadd_sat, __hadd2_sat, saturated(rounded(value(a) + value(b))))
TILELAB_HALF_OF_TWO(__hsub, __hsub2, rounded(value(a) - value(b)))
TILELAB_HALF_OF_TWO(__hsub_sat, __hsub2_sat, saturated(rounded(value(a) - value(b))))
TILELAB_HALF_OF_TWO(__hmul, __hmul2, rounded(value(a) * value(b)))
TILELAB_HALF_OF_TWO(__hmul_sat, __hmul2_sat, saturated(rounded(value(a) * value(b))))
TILELAB_HALF_OF_TWO(__hdiv, __h2div, rounded(value(a) / value(b)))
TILELAB_HALF_OF_THREE(__hfma, __hfma2, of_bits(half_fused(value(a), value(b), value(c))))
TILELAB_HALF_OF_THREE(__hfma_sat, __hfma2_sat, saturated(__hfma(a, b, c)))
TILELAB_HALF_OF_THREE(__hfma_relu, __hfma2_relu, at_least_zero(__hfma(a, b, c)))
TILELAB_HALF_OF_ONE(__hneg, __hneg2, of_bits(a.__x ^ 0x8000u))
TILELAB_HALF_OF_ONE(__habs, __habs2, of_bits(a.__x & 0x7FFFu))
TILELAB_HALF_OF_TWO(__hmax, __hmax2, extreme(larger, a, b, false))
TILELAB_HALF_OF_TWO(__hmin, __hmin2, extreme(smaller, a, b, false))
TILELAB_HALF_OF_TWO(__hmax_nan, __hmax2_nan, extreme(larger, a, b, true))
TILELAB_HALF_OF_TWO(__hmin_nan, __hmin2_nan, extreme(smaller, a, b, true))
TILELAB_HALF_OF_ONE(hsqrt, h2sqrt, rounded(std::sqrt(value(a))))
TILELAB_HALF_OF_ONE(hrsqrt, h2rsqrt, rounded(1.0 / std::sqrt(value(a))))
TILELAB_HALF_OF_ONE(hrcp, h2rcp, rounded(1.0 / value(a)))
TILELAB_HALF_OF_ONE(hlog, h2log, rounded(std::log(value(a))))
TILELAB_HALF_OF_ONE(hlog2, h2log2, rounded(std::log2(value(a))))
TILELAB_HALF_OF_ONE(hlog10, h2log10, rounded(std::log10(value(a))))
TILELAB_HALF_OF_ONE(hexp, h2exp, rounded(std::exp(value(a))))
TILELAB_HALF_OF_ONE(hexp2, h2exp2, rounded(std::exp2(value(a))))
TILELAB_HALF_OF_ONE(hexp10, h2exp10, rounded(std::pow(10.0, value(a))))
TILELAB_HALF_OF_ONE(hsin, h2sin, rounded(std::sin(value(a))))
TILELAB_HALF_OF_ONE(hcos, h2cos, rounded(std::cos(value(a))))
TILELAB_HALF_OF_ONE(htanh, h2tanh, rounded(std::tanh(value(a))))
TILELAB_HALF_OF_ONE(htanh_approx, h2tanh_approx, rounded(std::tanh(value(a))))
TILELAB_HALF_OF_ONE(hceil, h2ceil, rounded(std::ceil(value(a))))
TILELAB_HALF_OF_ONE(hfloor, h2floor, rounded(std::floor(value(a))))
TILELAB_HALF_OF_ONE(htrunc, h2trunc, rounded(std::trunc(value(a))))
TILELAB_HALF_OF_ONE(hrint, h2rint, rounded(std::nearbyint(value(a))))
#undef TILELAB_HALF_OF_THREE
#undef TILELAB_HALF_OF_TWO
#undef TILELAB_HALF_OF_ONE

// Comparisons of one number; of pairs: 1 or 0 in each half, whether both hold, all bits of each half.
#define TILELAB_HALF_COMPARED(name, ...)                                                                            \
  bool __h##name(__half a, __half b) TILELAB_IS(__VA_ARGS__);                                                       \
  __half2 __h##name##2(__half2 a, __half2 b)TILELAB_IS({one_if(__h##name(a.x, b.x)), one_if(__h##name(a.y, b.y))}); \
  bool __hb##name##2(__half2 a, __half2 b)TILELAB_IS(__h##name(a.x, b.x) && __h##name(a.y, b.y));                   \
  unsigned __h##name##2_mask(__half2 a,                                                                             \
                             __half2 b)TILELAB_IS((__h##name(a.x, b.x) ? 0xFFFFu : 0u) | (__h##name(a.y, b.y) ? 0xFFFF0000u : 0u));
TILELAB_HALF_COMPARED(eq, value(a) == value(b))
TILELAB_HALF_COMPARED(ne, value(a) < value(b) || value(a) > value(b))
TILELAB_HALF_COMPARED(lt, value(a) < value(b))
TILELAB_HALF_COMPARED(le, value(a) <= value(b))
TILELAB_HALF_COMPARED(gt, value(a) > value(b))
TILELAB_HALF_COMPARED(ge, value(a) >= value(b))
TILELAB_HALF_COMPARED(equ, unordered(a, b) || value(a) == value(b))
TILELAB_HALF_COMPARED(neu, unordered(a, b) || value(a) != value(b))
TILELAB_HALF_COMPARED(ltu, unordered(a, b) || value(a) < value(b))
TILELAB_HALF_COMPARED(leu, unordered(a, b) || value(a) <= value(b))
TILELAB_HALF_COMPARED(gtu, unordered(a, b) || value(a) > value(b))
TILELAB_HALF_COMPARED(geu, unordered(a, b) || value(a) >= value(b))
#undef TILELAB_HALF_COMPARED
bool __hisnan(__half a) TILELAB_IS(std::isnan(value(a)));
__half2 __hisnan2(__half2 a) TILELAB_IS({one_if(__hisnan(a.x)), one_if(__hisnan(a.y))});
int __hisinf(__half a) TILELAB_IS(a.__x == 0x7C00u ? 1 : a.__x == 0xFC00u ? -1 : 0);

// What a pair is made of.
__half2 make_half2(__half x, __half y) TILELAB_IS({x, y});
__half2 __halves2half2(__half low, __half high) TILELAB_IS({low, high});
__half2 __half2half2(__half a) TILELAB_IS({a, a});
__half2 __float2half2_rn(float a) TILELAB_IS({rounded(a), rounded(a)});
__half2 __floats2half2_rn(float low, float high) TILELAB_IS({rounded(low), rounded(high)});
__half2 __float22half2_rn(float2 a) TILELAB_IS({rounded(a.x), rounded(a.y)});
float2 __half22float2(__half2 a) TILELAB_IS({__half2float(a.x), __half2float(a.y)});
float __low2float(__half2 a) TILELAB_IS(__half2float(a.x));
float __high2float(__half2 a) TILELAB_IS(__half2float(a.y));
__half __low2half(__half2 a) TILELAB_IS(a.x);
__half __high2half(__half2 a) TILELAB_IS(a.y);
__half2 __low2half2(__half2 a) TILELAB_IS({a.x, a.x});
__half2 __high2half2(__half2 a) TILELAB_IS({a.y, a.y});
__half2 __lows2half2(__half2 a, __half2 b) TILELAB_IS({a.x, b.x});
__half2 __highs2half2(__half2 a, __half2 b) TILELAB_IS({a.y, b.y});
__half2 __lowhigh2highlow(__half2 a) TILELAB_IS({a.y, a.x});

// Loads and stores through caches, atomics, shuffles.
TILELAB_CACHED(__half)
TILELAB_CACHED(__half2)
TILELAB_ATOMIC(atomicAdd, __half, __hadd(old, value))
TILELAB_ATOMIC(atomicAdd, __half2, __hadd2(old, value))
TILELAB_SHUFFLES(__half)
TILELAB_SHUFFLES(__half2)
#undef TILELAB_CACHED
#undef TILELAB_ATOMIC
#undef TILELAB_SHUFFLES

// Operators take references, as in CUDA: operands in memory are read here, and announced.
#define TILELAB_HALF_OPERATOR(T, sign, assigned, function)                  \
  inline T operator sign(const T& a, const T& b) { return function(a, b); } \
  inline T& operator assigned(T& a, const T& b) { return a = function(a, b); }
#define TILELAB_HALF_STEP(T, sign, function, one)                \
  inline T& operator sign(T& a) { return a = function(a, one); } \
  inline T operator sign(T& a, int) {                            \
    const T before = a;                                          \
    sign a;                                                      \
    return before;                                               \
  }
#define TILELAB_HALF_COMPARISON(sign, function, of_pairs)                                \
  inline bool operator sign(const __half& a, const __half& b) { return function(a, b); } \
  inline bool operator sign(const __half2& a, const __half2& b) { return of_pairs(a, b); }

TILELAB_HALF_OPERATOR(__half, +, +=, __hadd)
TILELAB_HALF_OPERATOR(__half, -, -=, __hsub)
TILELAB_HALF_OPERATOR(__half, *, *=, __hmul)
TILELAB_HALF_OPERATOR(__half, /, /=, __hdiv)
TILELAB_HALF_STEP(__half, ++, __hadd, __float2half_rn(1.0f))
TILELAB_HALF_STEP(__half, --, __hsub, __float2half_rn(1.0f))
inline __half operator+(const __half& a) { return a; }
inline __half operator-(const __half& a) { return __hneg(a); }
TILELAB_HALF_OPERATOR(__half2, +, +=, __hadd2)
TILELAB_HALF_OPERATOR(__half2, -, -=, __hsub2)
TILELAB_HALF_OPERATOR(__half2, *, *=, __hmul2)
TILELAB_HALF_OPERATOR(__half2, /, /=, __h2div)
TILELAB_HALF_STEP(__half2, ++, __hadd2, __float2half2_rn(1.0f))
TILELAB_HALF_STEP(__half2, --, __hsub2, __float2half2_rn(1.0f))
inline __half2 operator+(const __half2& a) { return a; }
inline __half2 operator-(const __half2& a) { return __hneg2(a); }
TILELAB_HALF_COMPARISON(==, __heq, __hbeq2)
TILELAB_HALF_COMPARISON(!=, __hneu, __hbneu2)
TILELAB_HALF_COMPARISON(<, __hlt, __hblt2)
TILELAB_HALF_COMPARISON(<=, __hle, __hble2)
TILELAB_HALF_COMPARISON(>, __hgt, __hbgt2)
TILELAB_HALF_COMPARISON(>=, __hge, __hbge2)
#undef TILELAB_HALF_OPERATOR
#undef TILELAB_HALF_STEP
#undef TILELAB_HALF_COMPARISON

}  // namespace cuda_fp16_on_cpu

// bfloat16: conversions, and arithmetic that is rounded once.
namespace cuda_bf16_on_cpu {

__nv_bfloat16 __float2bfloat16_rn(float a) TILELAB_IS(of_bits(bfloat_bits(static_cast<double>(a))));
__nv_bfloat16 __float2bfloat16_rz(float a) TILELAB_IS(of_bits(bfloat_bits(static_cast<double>(a), true)));
unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) TILELAB_IS(a.__x);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short a) TILELAB_IS(of_bits(a));
__nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c);
__nv_bfloat162 __floats2bfloat162_rn(float low, float high) TILELAB_IS({__float2bfloat16(low), __float2bfloat16(high)});
float2 __bfloat1622float2(__nv_bfloat162 a) TILELAB_IS(make_float2(bfloat_value(a.x.__x), bfloat_value(a.y.__x)));
float __low2float(__nv_bfloat162 a) TILELAB_IS(bfloat_value(a.x.__x));
float __high2float(__nv_bfloat162 a) TILELAB_IS(bfloat_value(a.y.__x));
__nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(of_bits(bfloat_bits(value(a) + value(b))));
__nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(of_bits(bfloat_bits(value(a) - value(b))));
__nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(of_bits(bfloat_bits(value(a) * value(b))));
__nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(of_bits(bfloat_bits(value(a) / value(b))));
__nv_bfloat16 operator-(__nv_bfloat16 a) TILELAB_IS(of_bits(a.__x ^ 0x8000u));
bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(value(a) == value(b));
bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(value(a) != value(b));
bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(value(a) < value(b));
bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(value(a) > value(b));
bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(value(a) <= value(b));
bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(value(a) >= value(b));
__nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(a + b);
__nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(a - b);
__nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) TILELAB_IS(a* b);
inline __nv_bfloat16& operator+=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a + b; }
inline __nv_bfloat16& operator-=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a - b; }
inline __nv_bfloat16& operator*=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a * b; }
inline __nv_bfloat16& operator/=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a / b; }

}  // namespace cuda_bf16_on_cpu
}  // namespace cuda_on_cpu
