// Arithmetic with the rounding in its name: to nearest even (rn), towards zero (rz), up (ru), down (rd).
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

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

}  // namespace cuda_on_cpu
