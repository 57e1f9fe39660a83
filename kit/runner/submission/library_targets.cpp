#include "runner/submission/library_targets.hpp"

#include <map>
#include <stdexcept>

// The names are the linker's, because <cmath> gives each of them several meanings. They are those of PURE in
// grader/engines/device_functions.py.
// clang-format off: a table reads better as one
#define TILELAB_LIBRARY(F) \
  F(acos) F(acosf) F(acosh) F(acoshf) F(asin) F(asinf) F(asinh) F(asinhf) F(atan) F(atanf) F(atan2) F(atan2f) F(atanh) F(atanhf) \
  F(cbrt) F(cbrtf) F(ceil) F(ceilf) F(copysign) F(copysignf) F(cos) F(cosf) F(cosh) F(coshf) F(erf) F(erff) F(erfc) F(erfcf) \
  F(exp) F(expf) F(exp2) F(exp2f) F(expm1) F(expm1f) F(fabs) F(fabsf) F(fdim) F(fdimf) F(floor) F(floorf) F(fma) F(fmaf) F(fmax) \
  F(fmaxf) F(fmin) F(fminf) F(fmod) F(fmodf) F(hypot) F(hypotf) F(ilogb) F(ilogbf) F(j0) F(j0f) F(j1) F(j1f) F(jn) F(jnf) F(ldexp) \
  F(ldexpf) F(llrint) F(llrintf) F(llround) F(llroundf) F(log) F(logf) F(log10) F(log10f) F(log1p) F(log1pf) F(log2) F(log2f) \
  F(logb) F(logbf) F(lrint) F(lrintf) F(lround) F(lroundf) F(nearbyint) F(nearbyintf) F(nextafter) F(nextafterf) F(pow) F(powf) \
  F(remainder) F(remainderf) F(rint) F(rintf) F(round) F(roundf) F(scalbln) F(scalblnf) F(scalbn) F(scalbnf) F(sin) F(sinf) \
  F(sinh) F(sinhf) F(sqrt) F(sqrtf) F(tan) F(tanf) F(tanh) F(tanhf) F(tgamma) F(tgammaf) F(trunc) F(truncf) F(y0) F(y0f) F(y1) \
  F(y1f) F(yn) F(ynf) F(abs) F(labs) F(llabs)
// clang-format on

#define TILELAB_DECLARED(name) extern "C" void tilelab_library_##name() __asm__(#name);
TILELAB_LIBRARY(TILELAB_DECLARED)

namespace tilelab {

std::uintptr_t library_target(const std::string& name) {
#define TILELAB_ROW(name) {#name, reinterpret_cast<std::uintptr_t>(&tilelab_library_##name)},
  static const std::map<std::string, std::uintptr_t> table{TILELAB_LIBRARY(TILELAB_ROW)};
  const auto found = table.find(name);
  if (found == table.end()) throw std::runtime_error("no pointer may lead to " + name);
  return found->second;
}

}  // namespace tilelab
