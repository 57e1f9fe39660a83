// CUDA's half-precision and bfloat16 numbers and pairs, stored as bits. A file gets them only if it includes <cuda_fp16.h> or
// <cuda_bf16.h>.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

struct __half;
float __half2float(__half a);
short __half2short_rz(__half a);
unsigned short __half2ushort_rz(__half a);
int __half2int_rz(__half a);
unsigned __half2uint_rz(__half a);
long long __half2ll_rz(__half a);
unsigned long long __half2ull_rz(__half a);
signed char __half2char_rz(__half a);
unsigned char __half2uchar_rz(__half a);
__half __float2half(float a);
__half __double2half(double a);
__half __short2half_rn(short a);
__half __ushort2half_rn(unsigned short a);
__half __int2half_rn(int a);
__half __uint2half_rn(unsigned a);
__half __ll2half_rn(long long a);
__half __ull2half_rn(unsigned long long a);

struct alignas(2) __half {
  unsigned short __x;

  __half() = default;
  TILELAB_QUIET __half(float a) : __x(__float2half(a).__x) {}
  TILELAB_QUIET __half(double a) : __x(__double2half(a).__x) {}
  TILELAB_QUIET __half(short a) : __x(__short2half_rn(a).__x) {}
  TILELAB_QUIET __half(unsigned short a) : __x(__ushort2half_rn(a).__x) {}
  TILELAB_QUIET __half(int a) : __x(__int2half_rn(a).__x) {}
  TILELAB_QUIET __half(unsigned a) : __x(__uint2half_rn(a).__x) {}
  TILELAB_QUIET __half(long a) : __x(__ll2half_rn(a).__x) {}
  TILELAB_QUIET __half(unsigned long a) : __x(__ull2half_rn(a).__x) {}
  TILELAB_QUIET __half(long long a) : __x(__ll2half_rn(a).__x) {}
  TILELAB_QUIET __half(unsigned long long a) : __x(__ull2half_rn(a).__x) {}
  operator float() const { return __half2float(*this); }
  operator bool() const { return (__x & 0x7FFFu) != 0; }
  operator char() const { return static_cast<char>(__half2char_rz(*this)); }
  operator signed char() const { return __half2char_rz(*this); }
  operator unsigned char() const { return __half2uchar_rz(*this); }
  operator short() const { return __half2short_rz(*this); }
  operator unsigned short() const { return __half2ushort_rz(*this); }
  operator int() const { return __half2int_rz(*this); }
  operator unsigned() const { return __half2uint_rz(*this); }
  operator long() const { return __half2ll_rz(*this); }
  operator unsigned long() const { return __half2ull_rz(*this); }
  operator long long() const { return __half2ll_rz(*this); }
  operator unsigned long long() const { return __half2ull_rz(*this); }
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
