// Bits, halves of products, dot products of bytes.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

int __mul24(int a, int b);
unsigned __umul24(unsigned a, unsigned b);
int __mulhi(int a, int b);
unsigned __umulhi(unsigned a, unsigned b);
long long __mul64hi(long long a, long long b);
unsigned long long __umul64hi(unsigned long long a, unsigned long long b);
unsigned __sad(int a, int b, unsigned c);
unsigned __usad(unsigned a, unsigned b, unsigned c);
int __hadd(int a, int b);
int __rhadd(int a, int b);
unsigned __uhadd(unsigned a, unsigned b);
unsigned __urhadd(unsigned a, unsigned b);
int __popc(unsigned a);
int __popcll(unsigned long long a);
int __clz(int a);
int __clzll(long long a);
int __ffs(int a);
int __ffsll(long long a);
unsigned __brev(unsigned a);
unsigned long long __brevll(unsigned long long a);
unsigned __fns(unsigned mask, unsigned base, int offset);
unsigned __byte_perm(unsigned a, unsigned b, unsigned selector);
unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift);
unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift);
unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift);
unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift);
int __dp4a(int a, int b, int c);
unsigned __dp4a(unsigned a, unsigned b, unsigned c);
int __dp4a(char4 a, char4 b, int c);
unsigned __dp4a(uchar4 a, uchar4 b, unsigned c);
int __dp2a_lo(int a, int b, int c);
unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c);
int __dp2a_lo(short2 a, char4 b, int c);
unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c);
int __dp2a_hi(int a, int b, int c);
unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c);
int __dp2a_hi(short2 a, char4 b, int c);
unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c);

}  // namespace cuda_on_cpu
