// CUDA's bfloat16 number and pair, stored as bits: conversions, and arithmetic that is rounded once. A file gets them only if it
// includes <cuda_bf16.h>.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {
namespace cuda_bf16_on_cpu {

struct __nv_bfloat16;
__nv_bfloat16 __float2bfloat16(float a);
__nv_bfloat16 __double2bfloat16(double a);
float __bfloat162float(__nv_bfloat16 a);

struct alignas(2) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  TILELAB_QUIET __nv_bfloat16(float a) : __x(__float2bfloat16(a).__x) {}
  TILELAB_QUIET __nv_bfloat16(double a) : __x(__double2bfloat16(a).__x) {}
  TILELAB_QUIET __nv_bfloat16(int a) : __x(__double2bfloat16(a).__x) {}
  operator float() const { return __bfloat162float(*this); }
};

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  TILELAB_QUIET __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
};

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
