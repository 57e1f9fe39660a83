// Replaces CUDA's header of this name: complex numbers as pairs. Products and quotients are the textbook's, without scaling.
#pragma once

#include "cuda_on_cpu.hpp"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) { return make_float2(real, imaginary); }
inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) { return make_double2(real, imaginary); }
inline cuComplex make_cuComplex(float real, float imaginary) { return make_float2(real, imaginary); }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_float2(static_cast<float>(z.x), static_cast<float>(z.y)); }

// Of a precision: CUDA's names end in `f` for float.
#define TILELAB_COMPLEX(Complex, Real, make, hypot, f)                                                          \
  inline Real cuCreal##f(Complex z) { return z.x; }                                                             \
  inline Real cuCimag##f(Complex z) { return z.y; }                                                             \
  inline Real cuCabs##f(Complex z) { return hypot(z.x, z.y); }                                                  \
  inline Complex cuConj##f(Complex z) { return make(z.x, -z.y); }                                               \
  inline Complex cuCadd##f(Complex a, Complex b) { return make(a.x + b.x, a.y + b.y); }                         \
  inline Complex cuCsub##f(Complex a, Complex b) { return make(a.x - b.x, a.y - b.y); }                         \
  inline Complex cuCmul##f(Complex a, Complex b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  inline Complex cuCdiv##f(Complex a, Complex b) {                                                              \
    const Real square = b.x * b.x + b.y * b.y;                                                                  \
    return make((a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square);                            \
  }                                                                                                             \
  inline Complex cuCfma##f(Complex a, Complex b, Complex c) { return cuCadd##f(cuCmul##f(a, b), c); }
TILELAB_COMPLEX(cuFloatComplex, float, make_float2, hypotf, f)
TILELAB_COMPLEX(cuDoubleComplex, double, make_double2, hypot, )
#undef TILELAB_COMPLEX
