// Arithmetic with the rounding in its name: to nearest even (rn), towards zero (rz), up (ru), down (rd).
#pragma once

inline namespace cuda_on_cpu {

float __fadd_rn(float a, float b);
float __fadd_rz(float a, float b);
float __fadd_ru(float a, float b);
float __fadd_rd(float a, float b);
float __fsub_rn(float a, float b);
float __fsub_rz(float a, float b);
float __fsub_ru(float a, float b);
float __fsub_rd(float a, float b);
float __fmul_rn(float a, float b);
float __fmul_rz(float a, float b);
float __fmul_ru(float a, float b);
float __fmul_rd(float a, float b);
float __fdiv_rn(float a, float b);
float __fdiv_rz(float a, float b);
float __fdiv_ru(float a, float b);
float __fdiv_rd(float a, float b);
float __frcp_rn(float a);
float __frcp_rz(float a);
float __frcp_ru(float a);
float __frcp_rd(float a);
float __fsqrt_rn(float a);
float __fsqrt_rz(float a);
float __fsqrt_ru(float a);
float __fsqrt_rd(float a);
float __fmaf_rn(float a, float b, float c);
float __fmaf_rz(float a, float b, float c);
float __fmaf_ru(float a, float b, float c);
float __fmaf_rd(float a, float b, float c);
double __dadd_rn(double a, double b);
double __dadd_rz(double a, double b);
double __dadd_ru(double a, double b);
double __dadd_rd(double a, double b);
double __dsub_rn(double a, double b);
double __dsub_rz(double a, double b);
double __dsub_ru(double a, double b);
double __dsub_rd(double a, double b);
double __dmul_rn(double a, double b);
double __dmul_rz(double a, double b);
double __dmul_ru(double a, double b);
double __dmul_rd(double a, double b);
double __ddiv_rn(double a, double b);
double __ddiv_rz(double a, double b);
double __ddiv_ru(double a, double b);
double __ddiv_rd(double a, double b);
double __drcp_rn(double a);
double __drcp_rz(double a);
double __drcp_ru(double a);
double __drcp_rd(double a);
double __dsqrt_rn(double a);
double __dsqrt_rz(double a);
double __dsqrt_ru(double a);
double __dsqrt_rd(double a);
double __fma_rn(double a, double b, double c);
double __fma_rz(double a, double b, double c);
double __fma_ru(double a, double b, double c);
double __fma_rd(double a, double b, double c);
float __frsqrt_rn(float a);

}  // namespace cuda_on_cpu
