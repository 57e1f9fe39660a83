// The load functions of device/load_functions.hpp.
#include "simt/device/load_functions.hpp"
#include "simt/surface/announcing.hpp"

#define LOAD(address)                      \
  TILELAB_ANNOUNCE_ALIGNED(address, read); \
  return *(address)

#define STORE(address, value)               \
  TILELAB_ANNOUNCE_ALIGNED(address, write); \
  *(address) = value

inline namespace cuda_on_cpu {

char __ldg(const char* address) { LOAD(address); }
signed char __ldg(const signed char* address) { LOAD(address); }
unsigned char __ldg(const unsigned char* address) { LOAD(address); }
short __ldg(const short* address) { LOAD(address); }
unsigned short __ldg(const unsigned short* address) { LOAD(address); }
int __ldg(const int* address) { LOAD(address); }
unsigned int __ldg(const unsigned int* address) { LOAD(address); }
long __ldg(const long* address) { LOAD(address); }
unsigned long __ldg(const unsigned long* address) { LOAD(address); }
long long __ldg(const long long* address) { LOAD(address); }
unsigned long long __ldg(const unsigned long long* address) { LOAD(address); }
float __ldg(const float* address) { LOAD(address); }
double __ldg(const double* address) { LOAD(address); }
int2 __ldg(const int2* address) { LOAD(address); }
int4 __ldg(const int4* address) { LOAD(address); }
uint2 __ldg(const uint2* address) { LOAD(address); }
uint4 __ldg(const uint4* address) { LOAD(address); }
float2 __ldg(const float2* address) { LOAD(address); }
float4 __ldg(const float4* address) { LOAD(address); }
double2 __ldg(const double2* address) { LOAD(address); }
longlong2 __ldg(const longlong2* address) { LOAD(address); }
ulonglong2 __ldg(const ulonglong2* address) { LOAD(address); }
char __ldcg(const char* address) { LOAD(address); }
signed char __ldcg(const signed char* address) { LOAD(address); }
unsigned char __ldcg(const unsigned char* address) { LOAD(address); }
short __ldcg(const short* address) { LOAD(address); }
unsigned short __ldcg(const unsigned short* address) { LOAD(address); }
int __ldcg(const int* address) { LOAD(address); }
unsigned int __ldcg(const unsigned int* address) { LOAD(address); }
long __ldcg(const long* address) { LOAD(address); }
unsigned long __ldcg(const unsigned long* address) { LOAD(address); }
long long __ldcg(const long long* address) { LOAD(address); }
unsigned long long __ldcg(const unsigned long long* address) { LOAD(address); }
float __ldcg(const float* address) { LOAD(address); }
double __ldcg(const double* address) { LOAD(address); }
int2 __ldcg(const int2* address) { LOAD(address); }
int4 __ldcg(const int4* address) { LOAD(address); }
uint2 __ldcg(const uint2* address) { LOAD(address); }
uint4 __ldcg(const uint4* address) { LOAD(address); }
float2 __ldcg(const float2* address) { LOAD(address); }
float4 __ldcg(const float4* address) { LOAD(address); }
double2 __ldcg(const double2* address) { LOAD(address); }
longlong2 __ldcg(const longlong2* address) { LOAD(address); }
ulonglong2 __ldcg(const ulonglong2* address) { LOAD(address); }
char __ldca(const char* address) { LOAD(address); }
signed char __ldca(const signed char* address) { LOAD(address); }
unsigned char __ldca(const unsigned char* address) { LOAD(address); }
short __ldca(const short* address) { LOAD(address); }
unsigned short __ldca(const unsigned short* address) { LOAD(address); }
int __ldca(const int* address) { LOAD(address); }
unsigned int __ldca(const unsigned int* address) { LOAD(address); }
long __ldca(const long* address) { LOAD(address); }
unsigned long __ldca(const unsigned long* address) { LOAD(address); }
long long __ldca(const long long* address) { LOAD(address); }
unsigned long long __ldca(const unsigned long long* address) { LOAD(address); }
float __ldca(const float* address) { LOAD(address); }
double __ldca(const double* address) { LOAD(address); }
int2 __ldca(const int2* address) { LOAD(address); }
int4 __ldca(const int4* address) { LOAD(address); }
uint2 __ldca(const uint2* address) { LOAD(address); }
uint4 __ldca(const uint4* address) { LOAD(address); }
float2 __ldca(const float2* address) { LOAD(address); }
float4 __ldca(const float4* address) { LOAD(address); }
double2 __ldca(const double2* address) { LOAD(address); }
longlong2 __ldca(const longlong2* address) { LOAD(address); }
ulonglong2 __ldca(const ulonglong2* address) { LOAD(address); }
char __ldcs(const char* address) { LOAD(address); }
signed char __ldcs(const signed char* address) { LOAD(address); }
unsigned char __ldcs(const unsigned char* address) { LOAD(address); }
short __ldcs(const short* address) { LOAD(address); }
unsigned short __ldcs(const unsigned short* address) { LOAD(address); }
int __ldcs(const int* address) { LOAD(address); }
unsigned int __ldcs(const unsigned int* address) { LOAD(address); }
long __ldcs(const long* address) { LOAD(address); }
unsigned long __ldcs(const unsigned long* address) { LOAD(address); }
long long __ldcs(const long long* address) { LOAD(address); }
unsigned long long __ldcs(const unsigned long long* address) { LOAD(address); }
float __ldcs(const float* address) { LOAD(address); }
double __ldcs(const double* address) { LOAD(address); }
int2 __ldcs(const int2* address) { LOAD(address); }
int4 __ldcs(const int4* address) { LOAD(address); }
uint2 __ldcs(const uint2* address) { LOAD(address); }
uint4 __ldcs(const uint4* address) { LOAD(address); }
float2 __ldcs(const float2* address) { LOAD(address); }
float4 __ldcs(const float4* address) { LOAD(address); }
double2 __ldcs(const double2* address) { LOAD(address); }
longlong2 __ldcs(const longlong2* address) { LOAD(address); }
ulonglong2 __ldcs(const ulonglong2* address) { LOAD(address); }
void __stcg(int* address, int value) { STORE(address, value); }
void __stcg(unsigned int* address, unsigned int value) { STORE(address, value); }
void __stcg(float* address, float value) { STORE(address, value); }
void __stcg(double* address, double value) { STORE(address, value); }
void __stcg(float2* address, float2 value) { STORE(address, value); }
void __stcg(float4* address, float4 value) { STORE(address, value); }
void __stcg(int2* address, int2 value) { STORE(address, value); }
void __stcg(int4* address, int4 value) { STORE(address, value); }
void __stcs(int* address, int value) { STORE(address, value); }
void __stcs(unsigned int* address, unsigned int value) { STORE(address, value); }
void __stcs(float* address, float value) { STORE(address, value); }
void __stcs(double* address, double value) { STORE(address, value); }
void __stcs(float2* address, float2 value) { STORE(address, value); }
void __stcs(float4* address, float4 value) { STORE(address, value); }
void __stcs(int2* address, int2 value) { STORE(address, value); }
void __stcs(int4* address, int4 value) { STORE(address, value); }
void __stwb(int* address, int value) { STORE(address, value); }
void __stwb(unsigned int* address, unsigned int value) { STORE(address, value); }
void __stwb(float* address, float value) { STORE(address, value); }
void __stwb(double* address, double value) { STORE(address, value); }
void __stwb(float2* address, float2 value) { STORE(address, value); }
void __stwb(float4* address, float4 value) { STORE(address, value); }
void __stwb(int2* address, int2 value) { STORE(address, value); }
void __stwb(int4* address, int4 value) { STORE(address, value); }
void __stwt(int* address, int value) { STORE(address, value); }
void __stwt(unsigned int* address, unsigned int value) { STORE(address, value); }
void __stwt(float* address, float value) { STORE(address, value); }
void __stwt(double* address, double value) { STORE(address, value); }
void __stwt(float2* address, float2 value) { STORE(address, value); }
void __stwt(float4* address, float4 value) { STORE(address, value); }
void __stwt(int2* address, int2 value) { STORE(address, value); }
void __stwt(int4* address, int4 value) { STORE(address, value); }

}  // namespace cuda_on_cpu
