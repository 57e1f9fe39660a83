// cuRAND's device functions for the generators XORWOW, Philox and MRG32k3a: bits, uniform, normal and log-normal numbers, and Poisson's
// where the mean is below 64 or above 4,000. Replaces CUDA's header of this name. MTGP32 and Sobol' are missing: their tables come from
// the host's library.
#pragma once

#include <curand.h>  // the host's functions, where there are any

#include "cuda_on_cpu.hpp"

#include "random_bits.hpp"
#include "random_recurrences.hpp"

namespace curand_on_cpu {

inline constexpr float step = 2.3283064e-10f;                // 2^-32
inline constexpr float angle = 2.3283064e-10f * 6.2831855f;  // 2^-32 of a full turn
inline constexpr double fine_step = 1.1102230246251565e-16;  // 2^-53

inline float uniform(unsigned int bits) { return static_cast<float>(bits) * step + step / 2.0f; }
inline double fine_uniform(unsigned int low, unsigned int high) {
  const unsigned long long bits = static_cast<unsigned long long>(low) ^ (static_cast<unsigned long long>(high) << 21);
  return static_cast<double>(bits) * fine_step + fine_step / 2.0;
}

// Two normal numbers of two uniform ones (Box and Muller, 1958).
inline float2 normal_pair(unsigned int x, unsigned int y) {
  const float turned = fmaf(static_cast<float>(y), angle, angle / 2.0f);
  const float radius = sqrtf(-2.0f * logf(uniform(x)));
  return make_float2(__sinf(turned) * radius, __cosf(turned) * radius);
}
inline double2 fine_normal_pair(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  const unsigned long long bits = static_cast<unsigned long long>(y0) ^ (static_cast<unsigned long long>(y1) << 21);
  const double turned = static_cast<double>(bits) * (fine_step * 2.0) + fine_step;
  const double radius = sqrt(-2.0 * log(fine_uniform(x0, x1)));
  return make_double2(sinpi(turned) * radius, cospi(turned) * radius);
}

}  // namespace curand_on_cpu

template <typename State>
float curand_uniform(State* state) {
  return curand_on_cpu::uniform(curand(state));
}
template <typename State>
double curand_uniform_double(State* state) {
  const unsigned int low = curand(state), high = curand(state);
  return curand_on_cpu::fine_uniform(low, high);
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  using curand_on_cpu::uniform;
  const uint4 bits = curand4(state);
  return make_float4(uniform(bits.x), uniform(bits.y), uniform(bits.z), uniform(bits.w));
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return make_double2(curand_on_cpu::fine_uniform(bits.x, bits.y), curand_on_cpu::fine_uniform(bits.z, bits.w));
}

template <typename State>
float2 curand_normal2(State* state) {
  const unsigned int x = curand(state), y = curand(state);
  return curand_on_cpu::normal_pair(x, y);
}
template <typename State>
double2 curand_normal2_double(State* state) {
  const unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return curand_on_cpu::fine_normal_pair(x0, x1, y0, y1);
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  const float2 first = curand_on_cpu::normal_pair(bits.x, bits.y), second = curand_on_cpu::normal_pair(bits.z, bits.w);
  return make_float4(first.x, first.y, second.x, second.y);
}

// A pair is made for every second number, and the state keeps the other. Its flag says what that is: 1 a normal number, 2 a log-normal
// one. What it keeps of the other kind is lost.
template <typename State>
float curand_normal(State* state) {
  if (state->boxmuller_flag == 1) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_extra = pair.y;
  state->boxmuller_flag = 1;
  return pair.x;
}
template <typename State>
double curand_normal_double(State* state) {
  if (state->boxmuller_flag_double == 1) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_extra_double = pair.y;
  state->boxmuller_flag_double = 1;
  return pair.x;
}

template <typename State>
float curand_log_normal(State* state, float mean, float deviation) {
  if (state->boxmuller_flag == 2) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_extra = expf(mean + deviation * pair.y);
  state->boxmuller_flag = 2;
  return expf(mean + deviation * pair.x);
}
template <typename State>
double curand_log_normal_double(State* state, double mean, double deviation) {
  if (state->boxmuller_flag_double == 2) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_extra_double = exp(mean + deviation * pair.y);
  state->boxmuller_flag_double = 2;
  return exp(mean + deviation * pair.x);
}
template <typename State>
float2 curand_log_normal2(State* state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
  const float4 all = curand_normal4(state);
  return make_float4(expf(mean + deviation * all.x), expf(mean + deviation * all.y), expf(mean + deviation * all.z),
                     expf(mean + deviation * all.w));
}

// Knuth, The Art of Computer Programming, volume 2, 3.4.1: how many uniform numbers have a product below e^-mean. Large means are
// nearly normal. Between the two, cuRAND rejects numbers by an approximation that is not published.
template <typename State>
unsigned int curand_poisson(State* state, double mean) {
  if (mean > 4000) return static_cast<unsigned int>(sqrt(mean) * curand_normal_double(state) + mean + 0.5);
  if (mean >= 64) __needs_more_poisson_numbers();
  unsigned int count = 0;
  float product = expf(static_cast<float>(mean));
  do {
    ++count;
    product *= curand_uniform(state);
  } while (product > 1.0f);
  return count - 1;
}
template <typename State>
double2 curand_log_normal2_double(State* state, double mean, double deviation) {
  const double2 pair = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
