// The functions of device/bfloat_types.hpp. Sums and products of two such numbers are formed in double, and rounded once.
#include "simt/device/bfloat_types.hpp"

#include "simt/arithmetic/bfloat_bits.hpp"
#include "simt/device/inline_ptx.hpp"

using tilelab::simt::bfloat_bits;
using tilelab::simt::bfloat_value;

inline namespace cuda_on_cpu {
namespace cuda_bf16_on_cpu {
namespace {

__nv_bfloat16 of_bits(unsigned bits) {
  __nv_bfloat16 result;
  result.__x = static_cast<unsigned short>(bits);
  return result;
}
double value(__nv_bfloat16 a) { return static_cast<double>(bfloat_value(a.__x)); }

}  // namespace

__nv_bfloat16 __float2bfloat16(float a) { return of_bits(bfloat_bits(static_cast<double>(a))); }
__nv_bfloat16 __float2bfloat16_rn(float a) { return of_bits(bfloat_bits(static_cast<double>(a))); }
__nv_bfloat16 __float2bfloat16_rz(float a) { return of_bits(bfloat_bits(static_cast<double>(a), true)); }
__nv_bfloat16 __double2bfloat16(double a) { return of_bits(bfloat_bits(a)); }
float __bfloat162float(__nv_bfloat16 a) { return bfloat_value(a.__x); }
unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return of_bits(a); }
__nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) + value(b))); }
__nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) - value(b))); }
__nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) * value(b))); }
__nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  constexpr int fused = 3;  // as inline PTX does it
  return of_bits(static_cast<unsigned>(tilelab_ptx::half_operation(fused, true, a.__x, b.__x, c.__x)));
}
__nv_bfloat162 __floats2bfloat162_rn(float low, float high) { return {__float2bfloat16(low), __float2bfloat16(high)}; }
float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(bfloat_value(a.x.__x), bfloat_value(a.y.__x)); }
__nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) + value(b))); }
__nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) - value(b))); }
__nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) * value(b))); }
__nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return of_bits(bfloat_bits(value(a) / value(b))); }
__nv_bfloat16 operator-(__nv_bfloat16 a) { return of_bits(a.__x ^ 0x8000u); }
bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return value(a) == value(b); }
bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return value(a) != value(b); }
bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return value(a) < value(b); }
bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return value(a) > value(b); }
bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return value(a) <= value(b); }
bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return value(a) >= value(b); }
float __low2float(__nv_bfloat162 a) { return bfloat_value(a.x.__x); }
float __high2float(__nv_bfloat162 a) { return bfloat_value(a.y.__x); }

}  // namespace cuda_bf16_on_cpu
}  // namespace cuda_on_cpu
