// The definitions behind TILELAB_IS in the rows of CUDA's functions: arithmetic that knows nothing of a launch, so host code has it as
// well. What the rows call stands here, and functions that are more than an expression.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "executor/arithmetic/half_bits.hpp"

#define TILELAB_IS(...) \
  {                     \
    return __VA_ARGS__; \
  }

#include "executor/device/half_types.hpp"
#include "executor/device/inline_ptx.hpp"

using namespace tilelab::simt;

namespace {

using std::numbers::inv_sqrtpi;
using std::numbers::pi;
using std::numbers::sqrt2;

double sine_of_half_turns(double a) {
  double turns = std::remainder(a, 2.0);  // in [-1, 1]
  if (std::abs(turns) > 0.5) turns = std::copysign(1.0, turns) - turns;
  return std::sin(pi * turns);
}

double cosine_of_half_turns(double a) {
  const double turns = std::abs(std::remainder(a, 2.0));
  return turns < 0.25 ? std::cos(pi * turns) : std::sin(pi * (0.5 - turns));
}

// x with erfc(x) = q, by Halley's method from a rational guess (Abramowitz and Stegun, 26.2.22).
double inverse_erfc(double q) {
  if (!(q > 0.0 && q < 2.0)) return q == 0.0 ? HUGE_VAL : q == 2.0 ? -HUGE_VAL : NAN;
  if (q > 1.0) return -inverse_erfc(2.0 - q);
  const double t = std::sqrt(-2.0 * std::log(q / 2.0));
  double x = (t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t))) / sqrt2;
  for (int step = 0; step < 4; ++step) {
    const double off = std::erfc(x) - q, slope = 2.0 * inv_sqrtpi * std::exp(-x * x);
    if (slope == 0.0) break;
    x += off / (slope - x * off);
  }
  return x;
}

// By Newton's method near 0, where 1 - a would lose digits of a.
double inverse_erf(double a) {
  double x = inverse_erfc(1.0 - a);
  if (!(std::abs(a) < 0.5)) return x;
  for (int step = 0; step < 3; ++step) x -= (std::erf(x) - a) / (2.0 * inv_sqrtpi * std::exp(-x * x));
  return x;
}

// exp(a * a) * erfc(a). Where that would be infinity times 0, its continued fraction (Abramowitz and Stegun, 7.1.14).
double scaled_erfc(double a) {
  if (a < 10.0) return std::exp(a * a) * std::erfc(a);
  double tail = 0.0;
  for (int k = 60; k > 0; --k) tail = 0.5 * k / (a + tail);
  return inv_sqrtpi / (a + tail);
}

double bessel_i(int order, double a) {
  const double value = std::cyl_bessel_i(order, std::abs(a));
  return order == 1 && a < 0.0 ? -value : value;
}

// Volatile operands and results keep the operation between the two changes of the rounding mode.
template <typename Result, typename Operation, typename Number>
Result in_mode(int mode, Operation operation, Number a, Number b = 0, Number c = 0) {
  const RoundingMode rounds(mode);
  const volatile Number first = a, second = b, third = c;
  const volatile auto result = static_cast<Result>(operation(Number{first}, Number{second}, Number{third}));
  return result;
}

constexpr auto same = [](auto a, auto, auto) { return a; };
constexpr auto added = [](auto a, auto b, auto) { return a + b; };
constexpr auto subtracted = [](auto a, auto b, auto) { return a - b; };
constexpr auto multiplied = [](auto a, auto b, auto) { return a * b; };
constexpr auto divided = [](auto a, auto b, auto) { return a / b; };
constexpr auto root = [](auto a, auto, auto) { return std::sqrt(a); };
constexpr auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };

// CUDA's conversions saturate, and turn NaN into 0. `a` is a whole number.
template <typename Integer>
Integer saturating(double a) {
  if (std::isnan(a)) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<Integer>::min()),
                   high = static_cast<double>(std::numeric_limits<Integer>::max());
  return a <= low ? std::numeric_limits<Integer>::min() : a >= high ? std::numeric_limits<Integer>::max() : static_cast<Integer>(a);
}

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

std::int32_t low24(int a) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8; }

// Adds up products of `count` parts of a with parts of b, starting at part `first` of b. Parts are as wide as the type Part.
template <typename Part, typename OtherPart, typename Sum>
Sum dot(Sum a, Sum b, Sum c, int count, int first) {
  auto sum = static_cast<std::uint32_t>(c);
  for (int i = 0; i < count; ++i) {
    const auto left = static_cast<Part>(static_cast<std::uint32_t>(a) >> (8 * sizeof(Part) * static_cast<unsigned>(i)));
    const auto right = static_cast<OtherPart>(static_cast<std::uint32_t>(b) >> (8 * static_cast<unsigned>(first + i)));
    sum += static_cast<std::uint32_t>(static_cast<Sum>(left) * static_cast<Sum>(right));
  }
  return static_cast<Sum>(sum);
}

using Byte = std::int8_t;
using UnsignedByte = std::uint8_t;
using Short = std::int16_t;
using UnsignedShort = std::uint16_t;

}  // namespace

#include "executor/device/arithmetic_functions.hpp"

inline namespace cuda_on_cpu {

unsigned long long __brevll(unsigned long long a) {
  unsigned long long reversed = 0;
  for (int bit = 0; bit < 64; ++bit) reversed |= ((a >> bit) & 1u) << (63 - bit);
  return reversed;
}

// The offset-th set bit from `base` upwards, or downwards if `offset` is negative.
unsigned __fns(unsigned mask, unsigned base, int offset) {
  constexpr unsigned none = 0xFFFFFFFFu;
  if (offset == 0) return base < 32 && ((mask >> base) & 1u) != 0 ? base : none;
  std::int64_t left = offset > 0 ? offset : -std::int64_t{offset};
  for (std::int64_t bit = base; bit >= 0 && bit < 32; bit += offset > 0 ? 1 : -1) {
    if (((mask >> bit) & 1u) != 0 && --left == 0) return static_cast<unsigned>(bit);
  }
  return none;
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
__nv_bfloat16 __double2bfloat16(double a) { return of_bits(bfloat_bits(a)); }
float __bfloat162float(__nv_bfloat16 a) { return bfloat_value(a.__x); }
__nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  constexpr int operation = 3;  // as inline PTX does it
  return of_bits(static_cast<unsigned>(tilelab_ptx::half_operation(operation, true, a.__x, b.__x, c.__x)));
}

}  // namespace cuda_bf16_on_cpu

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

// Of two numbers; with `nan_wins`, NaN is preferred.
__half extreme(double (*choose)(double, double), __half a, __half b, bool nan_wins) {
  return nan_wins && unordered(a, b) ? of_bits(0x7FFF) : rounded(choose(value(a), value(b)));
}

template <typename Integer>
Integer whole(__half a, HalfRounding rounding) {
  const double exact = value(a);
  return saturating<Integer>(rounding == HalfRounding::to_nearest_even ? std::nearbyint(exact)
                             : rounding == HalfRounding::towards_zero  ? std::trunc(exact)
                             : rounding == HalfRounding::up            ? std::ceil(exact)
                                                                       : std::floor(exact));
}

template <typename Integer>
__half rounded_integer(Integer a, HalfRounding rounding) {
  return rounded(std::clamp(static_cast<double>(a), -1e9, 1e9), rounding);  // what is as far from 0 is none of a half's
}

__half one_if(bool holds) { return rounded(holds ? 1.0 : 0.0); }

}  // namespace
}  // namespace cuda_fp16_on_cpu
}  // namespace cuda_on_cpu

#include "executor/device/half_functions.hpp"
