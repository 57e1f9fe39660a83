// The math of device/math_functions.hpp. Approximate intrinsics are computed as exactly as the functions that they approximate,
// and floats are computed in double, so results are more accurate than a GPU's.
#include "simt/device/math_functions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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

}  // namespace

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

unsigned umin(unsigned a, unsigned b) { return std::min(a, b); }
unsigned umax(unsigned a, unsigned b) { return std::max(a, b); }
long long llmin(long long a, long long b) { return std::min(a, b); }
long long llmax(long long a, long long b) { return std::max(a, b); }
unsigned long long ullmin(unsigned long long a, unsigned long long b) { return std::min(a, b); }
unsigned long long ullmax(unsigned long long a, unsigned long long b) { return std::max(a, b); }

float __fdividef(float a, float b) { return a / b; }
float fdividef(float a, float b) { return a / b; }
double fdivide(double a, double b) { return a / b; }
float __saturatef(float a) { return a > 0.0f ? std::min(a, 1.0f) : 0.0f; }  // NaN becomes 0, as in CUDA
float fast_expf(float a) { return std::exp(a); }
float fast_exp10f(float a) { return std::pow(10.0f, a); }
float fast_logf(float a) { return std::log(a); }
float fast_log2f(float a) { return std::log2(a); }
float fast_log10f(float a) { return std::log10(a); }
float fast_powf(float a, float b) { return std::pow(a, b); }
float fast_sinf(float a) { return std::sin(a); }
float fast_cosf(float a) { return std::cos(a); }
float fast_tanf(float a) { return std::tan(a); }
float fast_tanhf(float a) { return std::tanh(a); }
#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 242
float rsqrtf(float a) { return 1.0f / std::sqrt(a); }
double rsqrt(double a) { return 1.0 / std::sqrt(a); }
#endif
float rcbrtf(float a) { return static_cast<float>(1.0 / std::cbrt(static_cast<double>(a))); }
double rcbrt(double a) { return 1.0 / std::cbrt(a); }

#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 241
float sinpif(float a) { return static_cast<float>(sine_of_half_turns(a)); }
double sinpi(double a) { return sine_of_half_turns(a); }
float cospif(float a) { return static_cast<float>(cosine_of_half_turns(a)); }
double cospi(double a) { return cosine_of_half_turns(a); }
#endif

float rhypotf(float a, float b) { return static_cast<float>(rhypot(a, b)); }
double rhypot(double a, double b) { return 1.0 / std::hypot(a, b); }
float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
double norm3d(double a, double b, double c) { return std::hypot(a, b, c); }
float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
double rnorm3d(double a, double b, double c) { return 1.0 / std::hypot(a, b, c); }
float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
double norm4d(double a, double b, double c, double d) { return std::hypot(std::hypot(a, b), std::hypot(c, d)); }
float rnorm4df(float a, float b, float c, float d) { return static_cast<float>(rnorm4d(a, b, c, d)); }
double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }

float erfinvf(float a) { return static_cast<float>(inverse_erf(a)); }
double erfinv(double a) { return inverse_erf(a); }
float erfcinvf(float a) { return static_cast<float>(inverse_erfc(a)); }
double erfcinv(double a) { return inverse_erfc(a); }
float erfcxf(float a) { return static_cast<float>(scaled_erfc(a)); }
double erfcx(double a) { return scaled_erfc(a); }
float normcdff(float a) { return static_cast<float>(normcdf(a)); }
double normcdf(double a) { return 0.5 * std::erfc(-a / sqrt2); }
float normcdfinvf(float a) { return static_cast<float>(normcdfinv(a)); }
double normcdfinv(double a) { return -sqrt2 * inverse_erfc(2.0 * a); }
float cyl_bessel_i0f(float a) { return static_cast<float>(bessel_i(0, a)); }
double cyl_bessel_i0(double a) { return bessel_i(0, a); }
float cyl_bessel_i1f(float a) { return static_cast<float>(bessel_i(1, a)); }
double cyl_bessel_i1(double a) { return bessel_i(1, a); }

}  // namespace cuda_on_cpu
