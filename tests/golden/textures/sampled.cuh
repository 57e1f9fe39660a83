// How results are printed. One thread prints, so the lines come in order.
#pragma once

#include <cstdio>

__device__ inline void show(const char* what, unsigned i, float value) {
  printf("%s %u %08x %.9g\n", what, i, __float_as_uint(value), value);
}
