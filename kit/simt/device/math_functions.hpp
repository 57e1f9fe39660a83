// CUDA's math functions that <cmath> does not have: the global min and max, fast approximations, special functions. The others
// come from the C library.
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

unsigned umin(unsigned a, unsigned b);
unsigned umax(unsigned a, unsigned b);
long long llmin(long long a, long long b);
long long llmax(long long a, long long b);
unsigned long long ullmin(unsigned long long a, unsigned long long b);
unsigned long long ullmax(unsigned long long a, unsigned long long b);

float __fdividef(float a, float b);
float fdividef(float a, float b);
double fdivide(double a, double b);
float __saturatef(float a);
float fast_expf(float a);
float fast_exp10f(float a);
float fast_logf(float a);
float fast_log2f(float a);
float fast_log10f(float a);
float fast_powf(float a, float b);
float fast_sinf(float a);
float fast_cosf(float a);
float fast_tanf(float a);
float fast_tanhf(float a);
void fast_sincosf(float a, float* sine, float* cosine);
#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 242  // newer versions define these names
float rsqrtf(float a);
double rsqrt(double a);
#endif
float rcbrtf(float a);
double rcbrt(double a);
#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 241  // newer versions define these names
float sinpif(float a);
double sinpi(double a);
float cospif(float a);
double cospi(double a);
#endif
void sincospif(float a, float* sine, float* cosine);
void sincospi(double a, double* sine, double* cosine);
float rhypotf(float a, float b);
double rhypot(double a, double b);
float norm3df(float a, float b, float c);
double norm3d(double a, double b, double c);
float rnorm3df(float a, float b, float c);
double rnorm3d(double a, double b, double c);
float norm4df(float a, float b, float c, float d);
double norm4d(double a, double b, double c, double d);
float rnorm4df(float a, float b, float c, float d);
double rnorm4d(double a, double b, double c, double d);
float normf(int count, const float* a);
double norm(int count, const double* a);
float rnormf(int count, const float* a);
double rnorm(int count, const double* a);
float erfinvf(float a);
double erfinv(double a);
float erfcinvf(float a);
double erfcinv(double a);
float erfcxf(float a);
double erfcx(double a);
float normcdff(float a);
double normcdf(double a);
float normcdfinvf(float a);
double normcdfinv(double a);
float cyl_bessel_i0f(float a);
double cyl_bessel_i0(double a);
float cyl_bessel_i1f(float a);
double cyl_bessel_i1(double a);

}  // namespace cuda_on_cpu
