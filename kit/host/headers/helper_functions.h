// Stands in for the header of this name beside NVIDIA's samples: options, the stopwatch and the comparison of results.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_string.h"
#include "helper_timer.h"

#ifndef MIN
#define MIN(a, b) ((a < b) ? a : b)
#endif
#ifndef MAX
#define MAX(a, b) ((a > b) ? a : b)
#endif

// Whether the difference's length is at most epsilon times the reference's.
inline bool sdkCompareL2fe(const float* reference, const float* data, const unsigned int count, const float epsilon) {
  double error = 0, length = 0;
  for (unsigned int i = 0; i < count; ++i) {
    error += (reference[i] - data[i]) * (reference[i] - data[i]);
    length += reference[i] * reference[i];
  }
  return length >= 1e-7 && std::sqrt(error) / std::sqrt(length) < epsilon;
}
template <typename T, typename S>
bool compareData(const T* reference, const T* data, const unsigned int count, const S epsilon, const float threshold) {
  unsigned int wrong = 0;
  for (unsigned int i = 0; i < count; ++i)
    wrong += std::abs(static_cast<double>(reference[i]) - static_cast<double>(data[i])) > static_cast<double>(epsilon);
  return threshold == 0.0f ? wrong == 0 : wrong <= static_cast<float>(count) * threshold;
}
inline void sdkDumpBin(void* data, unsigned int bytes, const char* name) {
  if (std::FILE* file = std::fopen(name, "wb")) {
    std::fwrite(data, bytes, 1, file);
    std::fclose(file);
  }
}
