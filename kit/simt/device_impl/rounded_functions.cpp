// The arithmetic of device/rounded_functions.hpp: the processor's rounding mode is changed for one operation.
#include "simt/device/rounded_functions.hpp"

#include <cmath>

#include "simt/device_impl/rounding_mode.hpp"

using tilelab::simt::RoundingMode;

namespace {

// Volatile operands and results keep the operation between the two changes of the rounding mode.
template <typename Number, typename Operation>
Number rounded(int mode, Number a, Number b, Operation operation) {
  const RoundingMode rounds(mode);
  const volatile Number left = a, right = b;
  const volatile Number result = operation(left, right);
  return result;
}

template <typename Number>
Number plus(int mode, Number a, Number b) {
  return rounded(mode, a, b, [](const volatile Number& left, const volatile Number& right) { return left + right; });
}

template <typename Number>
Number minus(int mode, Number a, Number b) {
  return rounded(mode, a, b, [](const volatile Number& left, const volatile Number& right) { return left - right; });
}

template <typename Number>
Number times(int mode, Number a, Number b) {
  return rounded(mode, a, b, [](const volatile Number& left, const volatile Number& right) { return left * right; });
}

template <typename Number>
Number over(int mode, Number a, Number b) {
  return rounded(mode, a, b, [](const volatile Number& left, const volatile Number& right) { return left / right; });
}

template <typename Number>
Number root(int mode, Number a) {
  return rounded(mode, a, a, [](const volatile Number& left, const volatile Number&) { return std::sqrt(static_cast<Number>(left)); });
}

template <typename Number>
Number fused(int mode, Number a, Number b, Number c) {
  return rounded(mode, a, b, [c](const volatile Number& left, const volatile Number& right) {
    return std::fma(static_cast<Number>(left), static_cast<Number>(right), c);
  });
}

}  // namespace

inline namespace cuda_on_cpu {

float __fadd_rn(float a, float b) { return plus(FE_TONEAREST, a, b); }
float __fadd_rz(float a, float b) { return plus(FE_TOWARDZERO, a, b); }
float __fadd_ru(float a, float b) { return plus(FE_UPWARD, a, b); }
float __fadd_rd(float a, float b) { return plus(FE_DOWNWARD, a, b); }
float __fsub_rn(float a, float b) { return minus(FE_TONEAREST, a, b); }
float __fsub_rz(float a, float b) { return minus(FE_TOWARDZERO, a, b); }
float __fsub_ru(float a, float b) { return minus(FE_UPWARD, a, b); }
float __fsub_rd(float a, float b) { return minus(FE_DOWNWARD, a, b); }
float __fmul_rn(float a, float b) { return times(FE_TONEAREST, a, b); }
float __fmul_rz(float a, float b) { return times(FE_TOWARDZERO, a, b); }
float __fmul_ru(float a, float b) { return times(FE_UPWARD, a, b); }
float __fmul_rd(float a, float b) { return times(FE_DOWNWARD, a, b); }
float __fdiv_rn(float a, float b) { return over(FE_TONEAREST, a, b); }
float __fdiv_rz(float a, float b) { return over(FE_TOWARDZERO, a, b); }
float __fdiv_ru(float a, float b) { return over(FE_UPWARD, a, b); }
float __fdiv_rd(float a, float b) { return over(FE_DOWNWARD, a, b); }
float __frcp_rn(float a) { return over(FE_TONEAREST, float{1}, a); }
float __frcp_rz(float a) { return over(FE_TOWARDZERO, float{1}, a); }
float __frcp_ru(float a) { return over(FE_UPWARD, float{1}, a); }
float __frcp_rd(float a) { return over(FE_DOWNWARD, float{1}, a); }
float __fsqrt_rn(float a) { return root(FE_TONEAREST, a); }
float __fsqrt_rz(float a) { return root(FE_TOWARDZERO, a); }
float __fsqrt_ru(float a) { return root(FE_UPWARD, a); }
float __fsqrt_rd(float a) { return root(FE_DOWNWARD, a); }
float __fmaf_rn(float a, float b, float c) { return fused(FE_TONEAREST, a, b, c); }
float __fmaf_rz(float a, float b, float c) { return fused(FE_TOWARDZERO, a, b, c); }
float __fmaf_ru(float a, float b, float c) { return fused(FE_UPWARD, a, b, c); }
float __fmaf_rd(float a, float b, float c) { return fused(FE_DOWNWARD, a, b, c); }
double __dadd_rn(double a, double b) { return plus(FE_TONEAREST, a, b); }
double __dadd_rz(double a, double b) { return plus(FE_TOWARDZERO, a, b); }
double __dadd_ru(double a, double b) { return plus(FE_UPWARD, a, b); }
double __dadd_rd(double a, double b) { return plus(FE_DOWNWARD, a, b); }
double __dsub_rn(double a, double b) { return minus(FE_TONEAREST, a, b); }
double __dsub_rz(double a, double b) { return minus(FE_TOWARDZERO, a, b); }
double __dsub_ru(double a, double b) { return minus(FE_UPWARD, a, b); }
double __dsub_rd(double a, double b) { return minus(FE_DOWNWARD, a, b); }
double __dmul_rn(double a, double b) { return times(FE_TONEAREST, a, b); }
double __dmul_rz(double a, double b) { return times(FE_TOWARDZERO, a, b); }
double __dmul_ru(double a, double b) { return times(FE_UPWARD, a, b); }
double __dmul_rd(double a, double b) { return times(FE_DOWNWARD, a, b); }
double __ddiv_rn(double a, double b) { return over(FE_TONEAREST, a, b); }
double __ddiv_rz(double a, double b) { return over(FE_TOWARDZERO, a, b); }
double __ddiv_ru(double a, double b) { return over(FE_UPWARD, a, b); }
double __ddiv_rd(double a, double b) { return over(FE_DOWNWARD, a, b); }
double __drcp_rn(double a) { return over(FE_TONEAREST, double{1}, a); }
double __drcp_rz(double a) { return over(FE_TOWARDZERO, double{1}, a); }
double __drcp_ru(double a) { return over(FE_UPWARD, double{1}, a); }
double __drcp_rd(double a) { return over(FE_DOWNWARD, double{1}, a); }
double __dsqrt_rn(double a) { return root(FE_TONEAREST, a); }
double __dsqrt_rz(double a) { return root(FE_TOWARDZERO, a); }
double __dsqrt_ru(double a) { return root(FE_UPWARD, a); }
double __dsqrt_rd(double a) { return root(FE_DOWNWARD, a); }
double __fma_rn(double a, double b, double c) { return fused(FE_TONEAREST, a, b, c); }
double __fma_rz(double a, double b, double c) { return fused(FE_TOWARDZERO, a, b, c); }
double __fma_ru(double a, double b, double c) { return fused(FE_UPWARD, a, b, c); }
double __fma_rd(double a, double b, double c) { return fused(FE_DOWNWARD, a, b, c); }
float __frsqrt_rn(float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }

}  // namespace cuda_on_cpu
