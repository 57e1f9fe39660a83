// Inputs that differ in size, the same on every machine, and how results are printed.
#pragma once

#include <cstdio>

__device__ inline float input(unsigned i) {
  unsigned x = (i + 1) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  const float fraction = static_cast<float>(x & 0xFFFF) / 65536.0f + 0.5f;
  const int exponent = static_cast<int>(x >> 16 & 7) - 4;
  return (x >> 31 ? -fraction : fraction) * (exponent < 0 ? 1.0f / static_cast<float>(1 << -exponent) : static_cast<float>(1 << exponent));
}

// One thread prints, so the lines come in order.
__device__ inline void show(const char* what, unsigned i, float value) { printf("%s %u %08x %.9g\n", what, i, __float_as_uint(value), value); }
