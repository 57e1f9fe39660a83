// The generator MRG32k3a (L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators",
// 1999), with the seeds, sequences, subsequences and offsets of cuRAND: the numbers are the same as on a GPU.
#pragma once

#include "random_bits.hpp"

inline namespace cuda_on_cpu {

// Word `word` of the three of the first or second recurrence, `count` times 2^power steps later.
unsigned __mrg32k3a_after(unsigned x0, unsigned x1, unsigned x2, bool second, unsigned long long count, unsigned power, unsigned word);
void __needs_more_poisson_numbers();  // ends the launch: the mean is one that the executor does not know

}  // namespace cuda_on_cpu

namespace curand_on_cpu {

inline constexpr unsigned long long first_modulus = 4294967087ull, second_modulus = 4294944443ull;

inline void mrg_ahead(curandStateMRG32k3a* state, unsigned long long count, unsigned power) {
  const unsigned int x0 = state->s1[0], x1 = state->s1[1], x2 = state->s1[2], y0 = state->s2[0], y1 = state->s2[1], y2 = state->s2[2];
  for (unsigned word = 0; word < 3; ++word) {
    state->s1[word] = __mrg32k3a_after(x0, x1, x2, false, count, power, word);
    state->s2[word] = __mrg32k3a_after(y0, y1, y2, true, count, power, word);
  }
}

// A whole number from 1 to the first modulus. Both recurrences add the modulus to what would be negative.
inline unsigned long long mrg_next(curandStateMRG32k3a* state) {
  const unsigned long long x = (1403580ull * state->s1[1] + 810728ull * (first_modulus - state->s1[0])) % first_modulus;
  const unsigned int x1 = state->s1[1], x2 = state->s1[2];
  state->s1[0] = x1;
  state->s1[1] = x2;
  state->s1[2] = static_cast<unsigned int>(x);
  const unsigned int y1 = state->s2[1], y2 = state->s2[2];
  const unsigned long long y = (527612ull * y2 + 1370589ull * (second_modulus - state->s2[0])) % second_modulus;
  state->s2[0] = y1;
  state->s2[1] = y2;
  state->s2[2] = static_cast<unsigned int>(y);
  return x <= y ? x + first_modulus - y : x - y;
}

inline double mrg_uniform(curandStateMRG32k3a* state) { return static_cast<double>(mrg_next(state)) * 2.3283065498378288e-10; }

}  // namespace curand_on_cpu

inline void skipahead(unsigned long long count, curandStateMRG32k3a* state) { curand_on_cpu::mrg_ahead(state, count, 0); }
inline void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a* state) { curand_on_cpu::mrg_ahead(state, count, 76); }
inline void skipahead_sequence(unsigned long long count, curandStateMRG32k3a* state) { curand_on_cpu::mrg_ahead(state, count, 127); }

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a* state) {
  const unsigned long long low = static_cast<unsigned int>(seed) ^ 0x55555555u, high = static_cast<unsigned int>(seed >> 32) ^ 0xAAAAAAAAu;
  for (unsigned word = 0; word < 3; ++word) {
    const bool even = word % 2 == 0;
    state->s1[word] = static_cast<unsigned int>(seed == 0 ? 12345 : (even ? low : high) * 12345 % curand_on_cpu::first_modulus);
    state->s2[word] = static_cast<unsigned int>(seed == 0 ? 12345 : (even ? high : low) * 12345 % curand_on_cpu::second_modulus);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->unused = 0;
  state->boxmuller_extra_double = 0.0;
}

// Stretched from below the modulus to all 32 bits.
inline unsigned int curand(curandStateMRG32k3a* state) {
  return static_cast<unsigned int>(static_cast<double>(curand_on_cpu::mrg_next(state)) * 1.000000048662);
}
inline float curand_uniform(curandStateMRG32k3a* state) { return static_cast<float>(curand_on_cpu::mrg_uniform(state)); }
inline double curand_uniform_double(curandStateMRG32k3a* state) { return curand_on_cpu::mrg_uniform(state); }

inline float2 curand_normal2(curandStateMRG32k3a* state) {
  const float x = curand_uniform(state), turned = curand_uniform(state) * 6.2831855f;
  const float radius = sqrtf(-2.0f * logf(x));
  return make_float2(__sinf(turned) * radius, __cosf(turned) * radius);
}
inline double2 curand_normal2_double(curandStateMRG32k3a* state) {
  const double x = curand_uniform_double(state), turned = curand_uniform_double(state) * 2.0;
  const double radius = sqrt(-2.0 * log(x));
  return make_double2(sinpi(turned) * radius, cospi(turned) * radius);
}
