// Operators of half-precision numbers. They take references, as in CUDA: operands in memory are read here, and announced.
#pragma once

#include "half_functions.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

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
}  // namespace cuda_on_cpu
