// check: --kernel all_of_them --block 32 --arg 'double[32]=random' --arg 'double[64]' --arg 'float[64]' --arg 'int[64]'
#include <cmath>

template <typename T>
__device__ T one_argument(T x) {
  T sum = std::acos(x) + std::acosh(x + 2) + std::asin(x) + std::asinh(x) + std::atan(x) + std::atanh(x / 2) + std::cbrt(x) + std::ceil(x);
  sum += std::cos(x) + std::cosh(x) + std::erf(x) + std::erfc(x) + std::exp(x) + std::exp2(x) + std::expm1(x) + std::fabs(x) + std::abs(x);
  sum += std::floor(x) + std::lgamma(x + 3) + std::log(x + 2) + std::log10(x + 2) + std::log1p(x + 2) + std::log2(x + 2) + std::logb(x + 2);
  sum += std::nearbyint(x) + std::rint(x) + std::round(x) + std::sin(x) + std::sinh(x) + std::sqrt(x + 2) + std::tan(x) + std::tanh(x);
  return sum + std::tgamma(x + 3) + std::trunc(x) + std::ilogb(x + 2) + std::lrint(x) + std::lround(x) + std::llrint(x) + std::llround(x);
}

template <typename T>
__device__ T more_arguments(T x, T y) {
  T sum = std::atan2(x, y) + std::copysign(x, y) + std::fdim(x, y) + std::fma(x, y, x) + std::fmax(x, y) + std::fmin(x, y) + std::fmod(x, T(3));
  sum += std::hypot(x, y) + std::hypot(x, y, T(1)) + std::ldexp(x, 2) + std::scalbn(x, 2) + std::scalbln(x, 2L) + std::nextafter(x, y);
  return sum + std::pow(x + 2, y) + std::pow(x + 2, 2) + std::remainder(x, T(3));
}

template <typename T>
__device__ int questions(T x, T y) {
  int yes = std::isfinite(x) + std::isinf(x) + std::isnan(x) + std::isnormal(x) + std::signbit(x) + (std::fpclassify(x) == FP_NORMAL);
  yes += std::isgreater(x, y) + std::isgreaterequal(x, y) + std::isless(x, y) + std::islessequal(x, y) + std::islessgreater(x, y);
  return yes + std::isunordered(x, y);
}

template <typename T>
__device__ void through_pointers(T x, T* whole, int* quotient) {
  int exponent = 0;
  const T part = std::frexp(x, &exponent);
  assert(std::ldexp(part, exponent) == x);
  const T fraction = std::modf(x * 100, whole);
  assert(*whole + fraction == x * 100);
  const T rest = std::remquo(x * 100, T(7), quotient);
  assert(std::fabs(rest) <= T(3.5));
}

__global__ void all_of_them(const double* in, double* doubles, float* floats, int* quotients) {
  const int i = threadIdx.x;
  const double x = 0.5 * in[i];
  doubles[i] = one_argument(x) + more_arguments(x, 0.25) + questions(x, 0.25);
  const float y = static_cast<float>(x);
  floats[i] = one_argument(y) + more_arguments(y, 0.25f) + static_cast<float>(questions(y, 0.25f));
  through_pointers(x, doubles + 32 + i, quotients + i);
  through_pointers(y, floats + 32 + i, quotients + 32 + i);
  const char* tag = i % 2 == 0 ? "1" : "2";
  assert(isnan(nan(tag)) && isnan(nanf(tag)));
}
