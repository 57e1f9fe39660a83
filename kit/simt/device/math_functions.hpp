// CUDA's math beyond <cmath>: intrinsics and the global min and max. What <cmath> has comes from the C library.
#pragma once

inline namespace cuda_on_cpu {

int min(int a, int b);
unsigned min(unsigned a, unsigned b);
unsigned min(int a, unsigned b);
unsigned min(unsigned a, int b);
long min(long a, long b);
unsigned long min(unsigned long a, unsigned long b);
long long min(long long a, long long b);
unsigned long long min(unsigned long long a, unsigned long long b);
float min(float a, float b);
double min(double a, double b);
double min(float a, double b);
double min(double a, float b);
int max(int a, int b);
unsigned max(unsigned a, unsigned b);
unsigned max(int a, unsigned b);
unsigned max(unsigned a, int b);
long max(long a, long b);
unsigned long max(unsigned long a, unsigned long b);
long long max(long long a, long long b);
unsigned long long max(unsigned long long a, unsigned long long b);
float max(float a, float b);
double max(double a, double b);
double max(float a, double b);
double max(double a, float b);

float __fadd_rn(float a, float b);
float __fsub_rn(float a, float b);
float __fmul_rn(float a, float b);
float __fmaf_rn(float a, float b, float c);
float __fdiv_rn(float a, float b);
float __frcp_rn(float a);
float __fsqrt_rn(float a);
float __frsqrt_rn(float a);
float __fdividef(float a, float b);
float fdividef(float a, float b);
float fast_expf(float a);
float fast_exp10f(float a);
float fast_logf(float a);
float fast_log2f(float a);
float fast_log10f(float a);
float fast_powf(float a, float b);
float fast_sinf(float a);
float fast_cosf(float a);
float fast_tanf(float a);
float __saturatef(float a);
float rsqrtf(float a);
double rsqrt(double a);
float rcbrtf(float a);
double __dadd_rn(double a, double b);
double __dmul_rn(double a, double b);
double __fma_rn(double a, double b, double c);

int __mul24(int a, int b);
unsigned __umul24(unsigned a, unsigned b);
int __mulhi(int a, int b);
unsigned __umulhi(unsigned a, unsigned b);
int __popc(unsigned a);
int __popcll(unsigned long long a);
int __clz(int a);
int __clzll(long long a);
int __ffs(int a);
int __ffsll(long long a);
unsigned __brev(unsigned a);
unsigned __byte_perm(unsigned a, unsigned b, unsigned selector);

int __float2int_rn(float a);
int __float2int_rz(float a);
int __float2int_ru(float a);
int __float2int_rd(float a);
unsigned __float2uint_rn(float a);
unsigned __float2uint_rz(float a);
float __int2float_rn(int a);
float __uint2float_rn(unsigned a);
int __float_as_int(float a);
unsigned __float_as_uint(float a);
float __int_as_float(int a);
float __uint_as_float(unsigned a);
long long __double_as_longlong(double a);
double __longlong_as_double(long long a);

}  // namespace cuda_on_cpu
