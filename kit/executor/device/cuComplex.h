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

// The suffix of the functions, the numbers of a pair, and how long one is.
#define TILELAB_COMPLEX(f, T, length)                                                                         \
  inline T cuCreal##f(T##2 z) { return z.x; }                                                                 \
  inline T cuCimag##f(T##2 z) { return z.y; }                                                                 \
  inline T cuCabs##f(T##2 z) { return length(z.x, z.y); }                                                     \
  inline T##2 cuConj##f(T##2 z) { return make_##T##2(z.x, -z.y); }                                            \
  inline T##2 cuCadd##f(T##2 a, T##2 b) { return make_##T##2(a.x + b.x, a.y + b.y); }                         \
  inline T##2 cuCsub##f(T##2 a, T##2 b) { return make_##T##2(a.x - b.x, a.y - b.y); }                         \
  inline T##2 cuCmul##f(T##2 a, T##2 b) { return make_##T##2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  inline T##2 cuCdiv##f(T##2 a, T##2 b) {                                                                     \
    const T square = b.x * b.x + b.y * b.y;                                                                   \
    return make_##T##2((a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square);                   \
  }                                                                                                           \
  inline T##2 cuCfma##f(T##2 a, T##2 b, T##2 c) { return cuCadd##f(cuCmul##f(a, b), c); }
TILELAB_COMPLEX(f, float, hypotf)
TILELAB_COMPLEX(, double, hypot)
#undef TILELAB_COMPLEX
