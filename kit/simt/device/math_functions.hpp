// CUDA's math functions that <cmath> does not have: the global min and max, fast approximations, special functions. The others
// come from the C library. Approximate intrinsics are computed as exactly as the functions that they approximate, and floats are
// computed in double, so results are more accurate than a GPU's.
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

}  // namespace cuda_on_cpu
