// Bits, halves of products, dot products of bytes.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

int __mul24(int a, int b) TILELAB_IS(static_cast<int>(std::int64_t{low24(a)} * low24(b)));
unsigned __umul24(unsigned a, unsigned b) TILELAB_IS((a & 0xFFFFFFu) * (b & 0xFFFFFFu));
int __mulhi(int a, int b) TILELAB_IS(static_cast<int>((std::int64_t{a} * b) >> 32));
unsigned __umulhi(unsigned a, unsigned b) TILELAB_IS(static_cast<unsigned>((std::uint64_t{a} * b) >> 32));
long long __mul64hi(long long a, long long b) TILELAB_IS(static_cast<long long>((Wide{a} * b) >> 64));
unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
    TILELAB_IS(static_cast<unsigned long long>((UnsignedWide{a} * b) >> 64));
unsigned __sad(int a, int b, unsigned c) TILELAB_IS(static_cast<unsigned>(std::max(a, b)) - static_cast<unsigned>(std::min(a, b)) + c);
unsigned __usad(unsigned a, unsigned b, unsigned c) TILELAB_IS(std::max(a, b) - std::min(a, b) + c);
int __hadd(int a, int b) TILELAB_IS(static_cast<int>((std::int64_t{a} + b) >> 1));
int __rhadd(int a, int b) TILELAB_IS(static_cast<int>((std::int64_t{a} + b + 1) >> 1));
unsigned __uhadd(unsigned a, unsigned b) TILELAB_IS(static_cast<unsigned>((std::uint64_t{a} + b) >> 1));
unsigned __urhadd(unsigned a, unsigned b) TILELAB_IS(static_cast<unsigned>((std::uint64_t{a} + b + 1) >> 1));
int __popc(unsigned a) TILELAB_IS(std::popcount(a));
int __popcll(unsigned long long a) TILELAB_IS(std::popcount(a));
int __clz(int a) TILELAB_IS(std::countl_zero(static_cast<unsigned>(a)));
int __clzll(long long a) TILELAB_IS(std::countl_zero(static_cast<unsigned long long>(a)));
int __ffs(int a) TILELAB_IS(a == 0 ? 0 : std::countr_zero(static_cast<unsigned>(a)) + 1);
int __ffsll(long long a) TILELAB_IS(a == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(a)) + 1);
unsigned long long __brevll(unsigned long long a);
unsigned __brev(unsigned a) TILELAB_IS(static_cast<unsigned>(__brevll(a) >> 32));
unsigned __fns(unsigned mask, unsigned base, int offset);
unsigned __byte_perm(unsigned a, unsigned b, unsigned selector);
unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
    TILELAB_IS(static_cast<unsigned>((((std::uint64_t{high} << 32) | low) << std::min(shift, 32u)) >> 32));
unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) TILELAB_IS(__funnelshift_lc(low, high, shift % 32));
unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
    TILELAB_IS(static_cast<unsigned>(((std::uint64_t{high} << 32) | low) >> std::min(shift, 32u)));
unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) TILELAB_IS(__funnelshift_rc(low, high, shift % 32));
int __dp4a(int a, int b, int c) TILELAB_IS(dot<Byte, Byte>(a, b, c, 4, 0));
unsigned __dp4a(unsigned a, unsigned b, unsigned c) TILELAB_IS(dot<UnsignedByte, UnsignedByte>(a, b, c, 4, 0));
int __dp4a(char4 a, char4 b, int c) TILELAB_IS(__dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), c));
unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) TILELAB_IS(__dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c));
int __dp2a_lo(int a, int b, int c) TILELAB_IS(dot<Short, Byte>(a, b, c, 2, 0));
unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) TILELAB_IS(dot<UnsignedShort, UnsignedByte>(a, b, c, 2, 0));
int __dp2a_lo(short2 a, char4 b, int c) TILELAB_IS(__dp2a_lo(std::bit_cast<int>(a), std::bit_cast<int>(b), c));
unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) TILELAB_IS(__dp2a_lo(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c));
int __dp2a_hi(int a, int b, int c) TILELAB_IS(dot<Short, Byte>(a, b, c, 2, 2));
unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) TILELAB_IS(dot<UnsignedShort, UnsignedByte>(a, b, c, 2, 2));
int __dp2a_hi(short2 a, char4 b, int c) TILELAB_IS(__dp2a_hi(std::bit_cast<int>(a), std::bit_cast<int>(b), c));
unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) TILELAB_IS(__dp2a_hi(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c));

}  // namespace cuda_on_cpu
