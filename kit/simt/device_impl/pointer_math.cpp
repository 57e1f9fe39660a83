// The functions of device/math_functions.hpp that read or write memory: pairs of sine and cosine, and lengths of vectors of any size.
// Each access is announced. So they belong to a launch, and host code does not have them.
#include <cmath>

#include "simt/device/math_functions.hpp"
#include "simt/device_impl/announcing.hpp"

inline namespace cuda_on_cpu {

void fast_sincosf(float a, float* sine, float* cosine) {
  TILELAB_ANNOUNCE(sine, sizeof *sine, write);
  TILELAB_ANNOUNCE(cosine, sizeof *cosine, write);
  *sine = std::sin(a);
  *cosine = std::cos(a);
}

void sincospif(float a, float* sine, float* cosine) {
  TILELAB_ANNOUNCE(sine, sizeof *sine, write);
  TILELAB_ANNOUNCE(cosine, sizeof *cosine, write);
  *sine = static_cast<float>(sinpi(static_cast<double>(a)));
  *cosine = static_cast<float>(cospi(static_cast<double>(a)));
}

void sincospi(double a, double* sine, double* cosine) {
  TILELAB_ANNOUNCE(sine, sizeof *sine, write);
  TILELAB_ANNOUNCE(cosine, sizeof *cosine, write);
  *sine = sinpi(a);
  *cosine = cospi(a);
}

#define NORM(count, a)                            \
  double length = 0.0;                            \
  for (int i = 0; i < (count); ++i) {             \
    TILELAB_ANNOUNCE((a) + i, sizeof *(a), read); \
    length = std::hypot(length, (a)[i]);          \
  }

float normf(int count, const float* a) {
  NORM(count, a)
  return static_cast<float>(length);
}

double norm(int count, const double* a) {
  NORM(count, a)
  return length;
}

float rnormf(int count, const float* a) {
  NORM(count, a)
  return static_cast<float>(1.0 / length);
}

double rnorm(int count, const double* a) {
  NORM(count, a)
  return 1.0 / length;
}

}  // namespace cuda_on_cpu
