// CUDA's half-precision and bfloat16 numbers and pairs, stored as bits. A file gets them only if it includes <cuda_fp16.h> or
// <cuda_bf16.h>.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

struct __half;
float __half2float(__half a);
__half __float2half(float a);
__half __double2half(double a);
signed char __half2char_rz(__half a);
unsigned char __half2uchar_rz(__half a);
#define TILELAB_HALF_OF(name, Integer)  \
  Integer __half2##name##_rz(__half a); \
  __half __##name##2half_rn(Integer a);
TILELAB_HALF_OF(short, short)
TILELAB_HALF_OF(ushort, unsigned short)
TILELAB_HALF_OF(int, int)
TILELAB_HALF_OF(uint, unsigned)
TILELAB_HALF_OF(ll, long long)
TILELAB_HALF_OF(ull, unsigned long long)
#undef TILELAB_HALF_OF

struct alignas(2) __half {
  unsigned short __x;

  __half() = default;
  TILELAB_QUIET __half(float a) : __x(__float2half(a).__x) {}
  TILELAB_QUIET __half(double a) : __x(__double2half(a).__x) {}
  operator float() const { return __half2float(*this); }
  operator bool() const { return (__x & 0x7FFFu) != 0; }
  operator char() const { return static_cast<char>(__half2char_rz(*this)); }
  operator signed char() const { return __half2char_rz(*this); }
  operator unsigned char() const { return __half2uchar_rz(*this); }
#define TILELAB_HALF_OF(name, Integer)                                \
  TILELAB_QUIET __half(Integer a) : __x(__##name##2half_rn(a).__x) {} \
  operator Integer() const { return __half2##name##_rz(*this); }
  TILELAB_HALF_OF(short, short)
  TILELAB_HALF_OF(ushort, unsigned short)
  TILELAB_HALF_OF(int, int)
  TILELAB_HALF_OF(uint, unsigned)
  TILELAB_HALF_OF(ll, long)
  TILELAB_HALF_OF(ull, unsigned long)
  TILELAB_HALF_OF(ll, long long)
  TILELAB_HALF_OF(ull, unsigned long long)
#undef TILELAB_HALF_OF
};

struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  TILELAB_QUIET __half2(const __half& low, const __half& high) : x(low), y(high) {}
};

}  // namespace cuda_fp16_on_cpu

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

}  // namespace cuda_bf16_on_cpu
}  // namespace cuda_on_cpu
