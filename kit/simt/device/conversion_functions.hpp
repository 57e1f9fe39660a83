// Conversions between numbers, with the rounding in the name, and between numbers and their bits.
#pragma once

inline namespace cuda_on_cpu {

int __float2int_rn(float a);
int __float2int_rz(float a);
int __float2int_ru(float a);
int __float2int_rd(float a);
unsigned __float2uint_rn(float a);
unsigned __float2uint_rz(float a);
unsigned __float2uint_ru(float a);
unsigned __float2uint_rd(float a);
long long __float2ll_rn(float a);
long long __float2ll_rz(float a);
long long __float2ll_ru(float a);
long long __float2ll_rd(float a);
unsigned long long __float2ull_rn(float a);
unsigned long long __float2ull_rz(float a);
unsigned long long __float2ull_ru(float a);
unsigned long long __float2ull_rd(float a);
int __double2int_rn(double a);
int __double2int_rz(double a);
int __double2int_ru(double a);
int __double2int_rd(double a);
unsigned __double2uint_rn(double a);
unsigned __double2uint_rz(double a);
unsigned __double2uint_ru(double a);
unsigned __double2uint_rd(double a);
long long __double2ll_rn(double a);
long long __double2ll_rz(double a);
long long __double2ll_ru(double a);
long long __double2ll_rd(double a);
unsigned long long __double2ull_rn(double a);
unsigned long long __double2ull_rz(double a);
unsigned long long __double2ull_ru(double a);
unsigned long long __double2ull_rd(double a);
float __int2float_rn(int a);
float __int2float_rz(int a);
float __int2float_ru(int a);
float __int2float_rd(int a);
float __uint2float_rn(unsigned a);
float __uint2float_rz(unsigned a);
float __uint2float_ru(unsigned a);
float __uint2float_rd(unsigned a);
float __ll2float_rn(long long a);
float __ll2float_rz(long long a);
float __ll2float_ru(long long a);
float __ll2float_rd(long long a);
float __ull2float_rn(unsigned long long a);
float __ull2float_rz(unsigned long long a);
float __ull2float_ru(unsigned long long a);
float __ull2float_rd(unsigned long long a);
double __int2double_rn(int a);
double __uint2double_rn(unsigned a);
double __ll2double_rn(long long a);
double __ll2double_rz(long long a);
double __ll2double_ru(long long a);
double __ll2double_rd(long long a);
double __ull2double_rn(unsigned long long a);
double __ull2double_rz(unsigned long long a);
double __ull2double_ru(unsigned long long a);
double __ull2double_rd(unsigned long long a);
float __double2float_rn(double a);
float __double2float_rz(double a);
float __double2float_ru(double a);
float __double2float_rd(double a);
int __float_as_int(float a);
unsigned __float_as_uint(float a);
float __int_as_float(int a);
float __uint_as_float(unsigned a);
long long __double_as_longlong(double a);
double __longlong_as_double(long long a);
int __double2hiint(double a);
int __double2loint(double a);
double __hiloint2double(int high, int low);

}  // namespace cuda_on_cpu
