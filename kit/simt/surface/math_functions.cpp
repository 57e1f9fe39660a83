// The math of device/math_functions.hpp. Approximate intrinsics are computed exactly: more accurate than a GPU's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simt/device/math_functions.hpp"

inline namespace cuda_on_cpu {

int min(int a, int b) { return std::min(a, b); }
unsigned min(unsigned a, unsigned b) { return std::min(a, b); }
unsigned min(int a, unsigned b) { return std::min(static_cast<unsigned>(a), static_cast<unsigned>(b)); }
unsigned min(unsigned a, int b) { return std::min(static_cast<unsigned>(a), static_cast<unsigned>(b)); }
long min(long a, long b) { return std::min(a, b); }
unsigned long min(unsigned long a, unsigned long b) { return std::min(a, b); }
long long min(long long a, long long b) { return std::min(a, b); }
unsigned long long min(unsigned long long a, unsigned long long b) { return std::min(a, b); }
float min(float a, float b) { return std::fmin(a, b); }
double min(double a, double b) { return std::fmin(a, b); }
double min(float a, double b) { return std::fmin(a, b); }
double min(double a, float b) { return std::fmin(a, b); }
int max(int a, int b) { return std::max(a, b); }
unsigned max(unsigned a, unsigned b) { return std::max(a, b); }
unsigned max(int a, unsigned b) { return std::max(static_cast<unsigned>(a), static_cast<unsigned>(b)); }
unsigned max(unsigned a, int b) { return std::max(static_cast<unsigned>(a), static_cast<unsigned>(b)); }
long max(long a, long b) { return std::max(a, b); }
unsigned long max(unsigned long a, unsigned long b) { return std::max(a, b); }
long long max(long long a, long long b) { return std::max(a, b); }
unsigned long long max(unsigned long long a, unsigned long long b) { return std::max(a, b); }
float max(float a, float b) { return std::fmax(a, b); }
double max(double a, double b) { return std::fmax(a, b); }
double max(float a, double b) { return std::fmax(a, b); }
double max(double a, float b) { return std::fmax(a, b); }

float __fadd_rn(float a, float b) { return a + b; }
float __fsub_rn(float a, float b) { return a - b; }
float __fmul_rn(float a, float b) { return a * b; }
float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
float __fdiv_rn(float a, float b) { return a / b; }
float __frcp_rn(float a) { return 1.0f / a; }
float __fsqrt_rn(float a) { return std::sqrt(a); }
float __frsqrt_rn(float a) { return 1.0f / std::sqrt(a); }
float __fdividef(float a, float b) { return a / b; }
float fdividef(float a, float b) { return a / b; }
float fast_expf(float a) { return std::exp(a); }
float fast_exp10f(float a) { return std::pow(10.0f, a); }
float fast_logf(float a) { return std::log(a); }
float fast_log2f(float a) { return std::log2(a); }
float fast_log10f(float a) { return std::log10(a); }
float fast_powf(float a, float b) { return std::pow(a, b); }
float fast_sinf(float a) { return std::sin(a); }
float fast_cosf(float a) { return std::cos(a); }
float fast_tanf(float a) { return std::tan(a); }
float __saturatef(float a) { return a > 0.0f ? std::min(a, 1.0f) : 0.0f; }  // NaN becomes 0, as in CUDA
float rsqrtf(float a) { return 1.0f / std::sqrt(a); }
double rsqrt(double a) { return 1.0 / std::sqrt(a); }
float rcbrtf(float a) { return 1.0f / std::cbrt(a); }
double __dadd_rn(double a, double b) { return a + b; }
double __dmul_rn(double a, double b) { return a * b; }
double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

namespace {
std::int32_t low24(int a) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8; }
}  // namespace

int __mul24(int a, int b) { return static_cast<int>(std::int64_t{low24(a)} * low24(b)); }
unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
int __mulhi(int a, int b) { return static_cast<int>((std::int64_t{a} * b) >> 32); }
unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} * b) >> 32); }
int __popc(unsigned a) { return std::popcount(a); }
int __popcll(unsigned long long a) { return std::popcount(a); }
int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
int __clzll(long long a) { return std::countl_zero(static_cast<unsigned long long>(a)); }
int __ffs(int a) { return a == 0 ? 0 : std::countr_zero(static_cast<unsigned>(a)) + 1; }
int __ffsll(long long a) { return a == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(a)) + 1; }

unsigned __brev(unsigned a) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= ((a >> bit) & 1u) << (31 - bit);
  return reversed;
}

unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = (selector >> (4 * i)) & 0xFu;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7u))) & 0xFFu;
    if ((nibble & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xFFu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

namespace {
// CUDA's conversions saturate and turn NaN into 0.
template <typename Integer>
Integer saturating(double a) {
  if (std::isnan(a)) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<Integer>::min()),
                   high = static_cast<double>(std::numeric_limits<Integer>::max());
  return a <= low ? std::numeric_limits<Integer>::min() : a >= high ? std::numeric_limits<Integer>::max() : static_cast<Integer>(a);
}
}  // namespace

int __float2int_rn(float a) { return saturating<int>(std::nearbyint(a)); }
int __float2int_rz(float a) { return saturating<int>(std::trunc(a)); }
int __float2int_ru(float a) { return saturating<int>(std::ceil(a)); }
int __float2int_rd(float a) { return saturating<int>(std::floor(a)); }
unsigned __float2uint_rn(float a) { return saturating<unsigned>(std::nearbyint(a)); }
unsigned __float2uint_rz(float a) { return saturating<unsigned>(std::trunc(a)); }
float __int2float_rn(int a) { return static_cast<float>(a); }
float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
int __float_as_int(float a) { return std::bit_cast<int>(a); }
unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
float __int_as_float(int a) { return std::bit_cast<float>(a); }
float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }

}  // namespace cuda_on_cpu
