// The functions of device/integer_functions.hpp.
#include "simt/device/integer_functions.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

std::int32_t low24(int a) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8; }

// Adds up products of `count` parts of a with parts of b, starting at part `first` of b. Parts are as wide as the type Part.
template <typename Part, typename OtherPart, typename Sum>
Sum dot(Sum a, Sum b, Sum c, int count, int first) {
  auto sum = static_cast<std::uint32_t>(c);
  for (int i = 0; i < count; ++i) {
    const auto left = static_cast<Part>(static_cast<std::uint32_t>(a) >> (8 * sizeof(Part) * static_cast<unsigned>(i)));
    const auto right = static_cast<OtherPart>(static_cast<std::uint32_t>(b) >> (8 * static_cast<unsigned>(first + i)));
    sum += static_cast<std::uint32_t>(static_cast<Sum>(left) * static_cast<Sum>(right));
  }
  return static_cast<Sum>(sum);
}

using Byte = std::int8_t;
using UnsignedByte = std::uint8_t;
using Short = std::int16_t;
using UnsignedShort = std::uint16_t;

}  // namespace

inline namespace cuda_on_cpu {

int __mul24(int a, int b) { return static_cast<int>(std::int64_t{low24(a)} * low24(b)); }
unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
int __mulhi(int a, int b) { return static_cast<int>((std::int64_t{a} * b) >> 32); }
unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} * b) >> 32); }
long long __mul64hi(long long a, long long b) { return static_cast<long long>((Wide{a} * b) >> 64); }
unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((UnsignedWide{a} * b) >> 64);
}
unsigned __sad(int a, int b, unsigned c) { return static_cast<unsigned>(std::max(a, b)) - static_cast<unsigned>(std::min(a, b)) + c; }
unsigned __usad(unsigned a, unsigned b, unsigned c) { return std::max(a, b) - std::min(a, b) + c; }
int __hadd(int a, int b) { return static_cast<int>((std::int64_t{a} + b) >> 1); }
int __rhadd(int a, int b) { return static_cast<int>((std::int64_t{a} + b + 1) >> 1); }
unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} + b) >> 1); }
unsigned __urhadd(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} + b + 1) >> 1); }
int __popc(unsigned a) { return std::popcount(a); }
int __popcll(unsigned long long a) { return std::popcount(a); }
int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
int __clzll(long long a) { return std::countl_zero(static_cast<unsigned long long>(a)); }
int __ffs(int a) { return a == 0 ? 0 : std::countr_zero(static_cast<unsigned>(a)) + 1; }
int __ffsll(long long a) { return a == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(a)) + 1; }

unsigned __brev(unsigned a) { return static_cast<unsigned>(__brevll(a) >> 32); }

unsigned long long __brevll(unsigned long long a) {
  unsigned long long reversed = 0;
  for (int bit = 0; bit < 64; ++bit) reversed |= ((a >> bit) & 1u) << (63 - bit);
  return reversed;
}

// The offset-th set bit from `base` upwards, or downwards if `offset` is negative.
unsigned __fns(unsigned mask, unsigned base, int offset) {
  constexpr unsigned none = 0xFFFFFFFFu;
  if (offset == 0) return base < 32 && ((mask >> base) & 1u) != 0 ? base : none;
  std::int64_t left = offset > 0 ? offset : -std::int64_t{offset};
  for (std::int64_t bit = base; bit >= 0 && bit < 32; bit += offset > 0 ? 1 : -1) {
    if (((mask >> bit) & 1u) != 0 && --left == 0) return static_cast<unsigned>(bit);
  }
  return none;
}

unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = (selector >> (4 * i)) & 0xFu;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7u))) & 0xFFu;
    if ((nibble & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xFFu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) { return __funnelshift_lc(low, high, shift % 32); }
unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((std::uint64_t{high} << 32) | low) << std::min(shift, 32u)) >> 32);
}
unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) { return __funnelshift_rc(low, high, shift % 32); }
unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((std::uint64_t{high} << 32) | low) >> std::min(shift, 32u));
}

int __dp4a(int a, int b, int c) { return dot<Byte, Byte>(a, b, c, 4, 0); }
unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return dot<UnsignedByte, UnsignedByte>(a, b, c, 4, 0); }
int __dp4a(char4 a, char4 b, int c) { return __dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), c); }
unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c); }
int __dp2a_lo(int a, int b, int c) { return dot<Short, Byte>(a, b, c, 2, 0); }
unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return dot<UnsignedShort, UnsignedByte>(a, b, c, 2, 0); }
int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(std::bit_cast<int>(a), std::bit_cast<int>(b), c); }
unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return __dp2a_lo(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c); }
int __dp2a_hi(int a, int b, int c) { return dot<Short, Byte>(a, b, c, 2, 2); }
unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return dot<UnsignedShort, UnsignedByte>(a, b, c, 2, 2); }
int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(std::bit_cast<int>(a), std::bit_cast<int>(b), c); }
unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return __dp2a_hi(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c); }

}  // namespace cuda_on_cpu
