// CUDA's functions of numbers that <cmath> does not have: the global min and max, fast approximations, special functions, arithmetic and
// conversions with the rounding in the name, bits and integers. The others come from the C library. Approximate intrinsics are computed as
// exactly as the functions that they approximate, and floats are computed in double, so results are more accurate than a GPU's.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

#define TILELAB_CHOICE_OF_INTEGERS(name, T) T name(T a, T b) TILELAB_IS(std::name(a, b));
#define TILELAB_CHOICE_OF_NUMBERS(name, Result, A, B) Result name(A a, B b) TILELAB_IS(std::f##name(a, b));
#define TILELAB_CHOICE(name)                                                      \
  TILELAB_CHOICE_OF_INTEGERS(name, int)                                           \
  TILELAB_CHOICE_OF_INTEGERS(name, unsigned)                                      \
  unsigned name(int a, unsigned b) TILELAB_IS(name(static_cast<unsigned>(a), b)); \
  unsigned name(unsigned a, int b) TILELAB_IS(name(a, static_cast<unsigned>(b))); \
  TILELAB_CHOICE_OF_INTEGERS(name, long)                                          \
  TILELAB_CHOICE_OF_INTEGERS(name, unsigned long)                                 \
  TILELAB_CHOICE_OF_INTEGERS(name, long long)                                     \
  TILELAB_CHOICE_OF_INTEGERS(name, unsigned long long)                            \
  TILELAB_CHOICE_OF_NUMBERS(name, float, float, float)                            \
  TILELAB_CHOICE_OF_NUMBERS(name, double, double, double)                         \
  TILELAB_CHOICE_OF_NUMBERS(name, double, float, double)                          \
  TILELAB_CHOICE_OF_NUMBERS(name, double, double, float)                          \
  unsigned u##name(unsigned a, unsigned b) TILELAB_IS(std::name(a, b));           \
  long long ll##name(long long a, long long b) TILELAB_IS(std::name(a, b));       \
  unsigned long long ull##name(unsigned long long a, unsigned long long b) TILELAB_IS(std::name(a, b));
TILELAB_CHOICE(min)
TILELAB_CHOICE(max)
#undef TILELAB_CHOICE
#undef TILELAB_CHOICE_OF_NUMBERS
#undef TILELAB_CHOICE_OF_INTEGERS

float __fdividef(float a, float b) TILELAB_IS(a / b);
float fdividef(float a, float b) TILELAB_IS(a / b);
double fdivide(double a, double b) TILELAB_IS(a / b);
float __saturatef(float a) TILELAB_IS(a > 0.0f ? std::min(a, 1.0f) : 0.0f);  // NaN becomes 0, as in CUDA
float fast_expf(float a) TILELAB_IS(std::exp(a));
float fast_exp10f(float a) TILELAB_IS(std::pow(10.0f, a));
float fast_logf(float a) TILELAB_IS(std::log(a));
float fast_log2f(float a) TILELAB_IS(std::log2(a));
float fast_log10f(float a) TILELAB_IS(std::log10(a));
float fast_powf(float a, float b) TILELAB_IS(std::pow(a, b));
float fast_sinf(float a) TILELAB_IS(std::sin(a));
float fast_cosf(float a) TILELAB_IS(std::cos(a));
float fast_tanf(float a) TILELAB_IS(std::tan(a));
float fast_tanhf(float a) TILELAB_IS(std::tanh(a));
#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 242  // newer versions define these names
float rsqrtf(float a) TILELAB_IS(1.0f / std::sqrt(a));
double rsqrt(double a) TILELAB_IS(1.0 / std::sqrt(a));
#endif
#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 241  // newer versions define these names
float sinpif(float a) TILELAB_IS(static_cast<float>(sine_of_half_turns(a)));
double sinpi(double a) TILELAB_IS(sine_of_half_turns(a));
float cospif(float a) TILELAB_IS(static_cast<float>(cosine_of_half_turns(a)));
double cospi(double a) TILELAB_IS(cosine_of_half_turns(a));
#endif

// The function of doubles, and that of floats, which is computed by it.
#define TILELAB_MATH_OF_ONE(name, ...)           \
  double name(double a) TILELAB_IS(__VA_ARGS__); \
  float name##f(float a) TILELAB_IS(static_cast<float>(name(static_cast<double>(a))));
#define TILELAB_MATH_OF_THREE(name, ...)                             \
  double name(double a, double b, double c) TILELAB_IS(__VA_ARGS__); \
  float name##f(float a, float b, float c) TILELAB_IS(static_cast<float>(name(a, b, c)));
#define TILELAB_MATH_OF_FOUR(name, ...)                                        \
  double name(double a, double b, double c, double d) TILELAB_IS(__VA_ARGS__); \
  float name##f(float a, float b, float c, float d) TILELAB_IS(static_cast<float>(name(a, b, c, d)));
TILELAB_MATH_OF_ONE(rcbrt, 1.0 / std::cbrt(a))
double rhypot(double a, double b) TILELAB_IS(1.0 / std::hypot(a, b));
float rhypotf(float a, float b) TILELAB_IS(static_cast<float>(rhypot(a, b)));
TILELAB_MATH_OF_THREE(norm3d, std::hypot(a, b, c))
TILELAB_MATH_OF_THREE(rnorm3d, 1.0 / std::hypot(a, b, c))
TILELAB_MATH_OF_FOUR(norm4d, std::hypot(std::hypot(a, b), std::hypot(c, d)))
TILELAB_MATH_OF_FOUR(rnorm4d, 1.0 / norm4d(a, b, c, d))
TILELAB_MATH_OF_ONE(erfinv, inverse_erf(a))
TILELAB_MATH_OF_ONE(erfcinv, inverse_erfc(a))
TILELAB_MATH_OF_ONE(erfcx, scaled_erfc(a))
TILELAB_MATH_OF_ONE(normcdf, 0.5 * std::erfc(-a / sqrt2))
TILELAB_MATH_OF_ONE(normcdfinv, -sqrt2* inverse_erfc(2.0 * a))
TILELAB_MATH_OF_ONE(cyl_bessel_i0, bessel_i(0, a))
TILELAB_MATH_OF_ONE(cyl_bessel_i1, bessel_i(1, a))
#undef TILELAB_MATH_OF_FOUR
#undef TILELAB_MATH_OF_THREE
#undef TILELAB_MATH_OF_ONE

// What they read and write is announced, so they belong to a launch, and host code does not have them.
void fast_sincosf(float a, float* sine, float* cosine) TILELAB_DOES(TILELAB_GIVE_TWO(sine, std::sin(a), cosine, std::cos(a)));
void sincospif(float a, float* sine, float* cosine)
    TILELAB_DOES(TILELAB_GIVE_TWO(sine, static_cast<float>(sinpi(static_cast<double>(a))), cosine,
                                  static_cast<float>(cospi(static_cast<double>(a)))));
void sincospi(double a, double* sine, double* cosine) TILELAB_DOES(TILELAB_GIVE_TWO(sine, sinpi(a), cosine, cospi(a)));
float normf(int count, const float* a) TILELAB_DOES(TILELAB_NORM(count, a); return static_cast<float>(length));
double norm(int count, const double* a) TILELAB_DOES(TILELAB_NORM(count, a); return length);
float rnormf(int count, const float* a) TILELAB_DOES(TILELAB_NORM(count, a); return static_cast<float>(1.0 / length));
double rnorm(int count, const double* a) TILELAB_DOES(TILELAB_NORM(count, a); return 1.0 / length);

// Arithmetic with the rounding in its name: to nearest even (rn), towards zero (rz), up (ru), down (rd).
// Behind the parameters: the operation, and what it is applied to.
#define TILELAB_ROUNDED(name, Number, parameters, ...)                                 \
  Number name##_rn parameters TILELAB_IS(in_mode<Number>(FE_TONEAREST, __VA_ARGS__));  \
  Number name##_rz parameters TILELAB_IS(in_mode<Number>(FE_TOWARDZERO, __VA_ARGS__)); \
  Number name##_ru parameters TILELAB_IS(in_mode<Number>(FE_UPWARD, __VA_ARGS__));     \
  Number name##_rd parameters TILELAB_IS(in_mode<Number>(FE_DOWNWARD, __VA_ARGS__));

TILELAB_ROUNDED(__fadd, float, (float a, float b), added, a, b)
TILELAB_ROUNDED(__fsub, float, (float a, float b), subtracted, a, b)
TILELAB_ROUNDED(__fmul, float, (float a, float b), multiplied, a, b)
TILELAB_ROUNDED(__fdiv, float, (float a, float b), divided, a, b)
TILELAB_ROUNDED(__frcp, float, (float a), divided, 1.0f, a)
TILELAB_ROUNDED(__fsqrt, float, (float a), root, a)
TILELAB_ROUNDED(__fmaf, float, (float a, float b, float c), fused, a, b, c)
TILELAB_ROUNDED(__dadd, double, (double a, double b), added, a, b)
TILELAB_ROUNDED(__dsub, double, (double a, double b), subtracted, a, b)
TILELAB_ROUNDED(__dmul, double, (double a, double b), multiplied, a, b)
TILELAB_ROUNDED(__ddiv, double, (double a, double b), divided, a, b)
TILELAB_ROUNDED(__drcp, double, (double a), divided, 1.0, a)
TILELAB_ROUNDED(__dsqrt, double, (double a), root, a)
TILELAB_ROUNDED(__fma, double, (double a, double b, double c), fused, a, b, c)
float __frsqrt_rn(float a) TILELAB_IS(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))));

// Conversions between numbers, and between numbers and their bits.
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

// Bits, halves of products, dot products of bytes.
int __mul24(int a, int b) TILELAB_IS(static_cast<int>(std::int64_t{low24(a)} * low24(b)));
unsigned __umul24(unsigned a, unsigned b) TILELAB_IS((a & 0xFFFFFFu) * (b & 0xFFFFFFu));
int __mulhi(int a, int b) TILELAB_IS(static_cast<int>((std::int64_t{a} * b) >> 32));
unsigned __umulhi(unsigned a, unsigned b) TILELAB_IS(static_cast<unsigned>((std::uint64_t{a} * b) >> 32));
long long __mul64hi(long long a, long long b) TILELAB_IS(static_cast<long long>((Wide{a} * b) >> 64));
unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
    TILELAB_IS(static_cast<unsigned long long>((UnsignedWide{a} * b) >> 64));
unsigned __sad(int a, int b, unsigned c) TILELAB_IS(static_cast<unsigned>(std::max(a, b)) - static_cast<unsigned>(std::min(a, b)) + c);
unsigned __usad(unsigned a, unsigned b, unsigned c) TILELAB_IS(std::max(a, b) - std::min(a, b) + c);
int __hadd(int a, int b) TILELAB_IS(static_cast<int>((std::int64_t{a} + b) >> 1));
int __rhadd(int a, int b) TILELAB_IS(static_cast<int>((std::int64_t{a} + b + 1) >> 1));
unsigned __uhadd(unsigned a, unsigned b) TILELAB_IS(static_cast<unsigned>((std::uint64_t{a} + b) >> 1));
unsigned __urhadd(unsigned a, unsigned b) TILELAB_IS(static_cast<unsigned>((std::uint64_t{a} + b + 1) >> 1));
int __popc(unsigned a) TILELAB_IS(std::popcount(a));
int __popcll(unsigned long long a) TILELAB_IS(std::popcount(a));
int __clz(int a) TILELAB_IS(std::countl_zero(static_cast<unsigned>(a)));
int __clzll(long long a) TILELAB_IS(std::countl_zero(static_cast<unsigned long long>(a)));
int __ffs(int a) TILELAB_IS(a == 0 ? 0 : std::countr_zero(static_cast<unsigned>(a)) + 1);
int __ffsll(long long a) TILELAB_IS(a == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(a)) + 1);
unsigned long long __brevll(unsigned long long a);
unsigned __brev(unsigned a) TILELAB_IS(static_cast<unsigned>(__brevll(a) >> 32));
unsigned __fns(unsigned mask, unsigned base, int offset);
unsigned __byte_perm(unsigned a, unsigned b, unsigned selector);
unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
    TILELAB_IS(static_cast<unsigned>((((std::uint64_t{high} << 32) | low) << std::min(shift, 32u)) >> 32));
unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) TILELAB_IS(__funnelshift_lc(low, high, shift % 32));
unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
    TILELAB_IS(static_cast<unsigned>(((std::uint64_t{high} << 32) | low) >> std::min(shift, 32u)));
unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) TILELAB_IS(__funnelshift_rc(low, high, shift % 32));
int __dp4a(int a, int b, int c) TILELAB_IS(dot<Byte, Byte>(a, b, c, 4, 0));
unsigned __dp4a(unsigned a, unsigned b, unsigned c) TILELAB_IS(dot<UnsignedByte, UnsignedByte>(a, b, c, 4, 0));
int __dp4a(char4 a, char4 b, int c) TILELAB_IS(__dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), c));
unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) TILELAB_IS(__dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c));
int __dp2a_lo(int a, int b, int c) TILELAB_IS(dot<Short, Byte>(a, b, c, 2, 0));
unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) TILELAB_IS(dot<UnsignedShort, UnsignedByte>(a, b, c, 2, 0));
int __dp2a_lo(short2 a, char4 b, int c) TILELAB_IS(__dp2a_lo(std::bit_cast<int>(a), std::bit_cast<int>(b), c));
unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) TILELAB_IS(__dp2a_lo(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c));
int __dp2a_hi(int a, int b, int c) TILELAB_IS(dot<Short, Byte>(a, b, c, 2, 2));
unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) TILELAB_IS(dot<UnsignedShort, UnsignedByte>(a, b, c, 2, 2));
int __dp2a_hi(short2 a, char4 b, int c) TILELAB_IS(__dp2a_hi(std::bit_cast<int>(a), std::bit_cast<int>(b), c));
unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) TILELAB_IS(__dp2a_hi(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c));

}  // namespace cuda_on_cpu
