// cuRAND's device functions for the generators XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox 4x32-10 (Salmon et al., "Parallel
// Random Numbers: As Easy as 1, 2, 3", 2011), with the seeds, subsequences and offsets of cuRAND: bits, uniform, normal and log-normal
// numbers, and Poisson's where the mean is below 64 or above 4,000. The numbers are the same as on a GPU. Replaces CUDA's header of this
// name. MRG32k3a, MTGP32 and Sobol' are missing.
#pragma once

#include <curand.h>  // the host's functions, where there are any

#include "cuda_on_cpu.hpp"

// What the generators remember. Sizes and names are NVIDIA's, because programs reserve memory for them.
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  int unused;  // in place of padding, which nobody would write before a state is copied
  double boxmuller_extra_double;
};

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};

static_assert(sizeof(curandStateXORWOW) == 48 && sizeof(curandStatePhilox4_32_10) == 64);

using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

inline namespace cuda_on_cpu {

// Word `word` of XORWOW's five after it has begun with `seed` and gone on by `subsequence` times 2^67 numbers and `offset` more.
unsigned __xorwow_word(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, unsigned word);
// The same from words that are given.
unsigned __xorwow_word_after(unsigned v0, unsigned v1, unsigned v2, unsigned v3, unsigned v4, unsigned long long subsequence,
                             unsigned long long offset, unsigned word);
unsigned __xorwow_counter(unsigned long long seed);

}  // namespace cuda_on_cpu

template <typename State>
void __keep_no_pair(State* state) {
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW* state) {
  state->d = __xorwow_counter(seed) + 362437u * static_cast<unsigned int>(offset);
  for (unsigned int word = 0; word < 5; ++word) state->v[word] = __xorwow_word(seed, subsequence, offset, word);
  __keep_no_pair(state);
  state->unused = 0;
}

inline unsigned int curand(curandStateXORWOW* state) {
  const unsigned int first = state->v[0] ^ (state->v[0] >> 2), last = state->v[4];
  state->v[0] = state->v[1];
  state->v[1] = state->v[2];
  state->v[2] = state->v[3];
  state->v[3] = last;
  const unsigned int next = last ^ (last << 4) ^ first ^ (first << 1);
  state->v[4] = next;
  const unsigned int counter = state->d + 362437u;
  state->d = counter;
  return next + counter;
}

inline void __xorwow_ahead(curandStateXORWOW* state, unsigned long long subsequence, unsigned long long offset) {
  const unsigned int v0 = state->v[0], v1 = state->v[1], v2 = state->v[2], v3 = state->v[3], v4 = state->v[4];
  for (unsigned int word = 0; word < 5; ++word) state->v[word] = __xorwow_word_after(v0, v1, v2, v3, v4, subsequence, offset, word);
  state->d += 362437u * static_cast<unsigned int>(offset);
}
inline void skipahead(unsigned long long count, curandStateXORWOW* state) { __xorwow_ahead(state, 0, count); }
inline void skipahead_sequence(unsigned long long count, curandStateXORWOW* state) { __xorwow_ahead(state, count, 0); }

// Ten rounds: each multiplies two of the four words and mixes the halves of the products with the others and with a key that
// goes on by Weyl constants.
inline uint4 __philox_of(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long first = 0xD2511F53ull * counter.x, second = 0xCD9E8D57ull * counter.z;
    const unsigned int x = static_cast<unsigned int>(second >> 32) ^ counter.y ^ key.x, y = static_cast<unsigned int>(second);
    const unsigned int z = static_cast<unsigned int>(first >> 32) ^ counter.w ^ key.y, w = static_cast<unsigned int>(first);
    counter.x = x;
    counter.y = y;
    counter.z = z;
    counter.w = w;
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

// The counter has 128 bits. A subsequence is 2^64 groups of four numbers.
inline void __philox_count(curandStatePhilox4_32_10* state, unsigned long long low, unsigned long long high) {
  const unsigned long long old = static_cast<unsigned long long>(state->ctr.y) << 32 | state->ctr.x;
  const unsigned long long sum = old + low;
  const unsigned long long above = (static_cast<unsigned long long>(state->ctr.w) << 32 | state->ctr.z) + high + (sum < old ? 1 : 0);
  state->ctr.x = static_cast<unsigned int>(sum);
  state->ctr.y = static_cast<unsigned int>(sum >> 32);
  state->ctr.z = static_cast<unsigned int>(above);
  state->ctr.w = static_cast<unsigned int>(above >> 32);
}

inline void __philox_output(curandStatePhilox4_32_10* state) {
  const uint4 counter = state->ctr;
  const uint2 key = state->key;
  const uint4 output = __philox_of(counter, key);
  state->output.x = output.x;
  state->output.y = output.y;
  state->output.z = output.z;
  state->output.w = output.w;
}

inline void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
  state->STATE += static_cast<unsigned int>(count & 3u);
  unsigned long long groups = count / 4;
  if (state->STATE > 3) {
    ++groups;
    state->STATE -= 4;
  }
  __philox_count(state, groups, 0);
  __philox_output(state);
}

inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
  __philox_count(state, 0, count);
  __philox_output(state);
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10* state) {
  state->ctr.x = state->ctr.y = state->ctr.z = state->ctr.w = 0;
  state->key.x = static_cast<unsigned int>(seed);
  state->key.y = static_cast<unsigned int>(seed >> 32);
  state->STATE = 0;
  __keep_no_pair(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

inline unsigned int curand(curandStatePhilox4_32_10* state) {
  const unsigned int at = state->STATE;
  const unsigned int number = at == 0 ? state->output.x : at == 1 ? state->output.y : at == 2 ? state->output.z : state->output.w;
  state->STATE = at + 1;
  if (at == 3) {
    __philox_count(state, 1, 0);
    __philox_output(state);
    state->STATE = 0;
  }
  return number;
}

// Four numbers at once; `STATE` of them come from the next group.
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 old = state->output;
  __philox_count(state, 1, 0);
  __philox_output(state);
  const uint4 fresh = state->output;
  switch (state->STATE) {
    case 0: return old;
    case 1: return make_uint4(old.y, old.z, old.w, fresh.x);
    case 2: return make_uint4(old.z, old.w, fresh.x, fresh.y);
    default: return make_uint4(old.w, fresh.x, fresh.y, fresh.z);
  }
}

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

template <typename State>
float2 curand_log_normal2(State* state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <typename State>
double2 curand_log_normal2_double(State* state, double mean, double deviation) {
  const double2 pair = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
  const float4 all = curand_normal4(state);
  return make_float4(expf(mean + deviation * all.x), expf(mean + deviation * all.y), expf(mean + deviation * all.z),
                     expf(mean + deviation * all.w));
}

namespace curand_on_cpu {

// A pair is made for every second number, and the state keeps the other. Its flag says what that is: 1 a normal number, 2 a log-normal
// one. What it keeps of the other kind is lost.
template <int Kind, typename Number, typename Make>
Number one_of_pair(int& flag, Number& other, Make make) {
  if (flag == Kind) {
    flag = 0;
    return other;
  }
  const auto pair = make();
  other = pair.y;
  flag = Kind;
  return pair.x;
}

}  // namespace curand_on_cpu

template <typename State>
float curand_normal(State* state) {
  return curand_on_cpu::one_of_pair<1>(state->boxmuller_flag, state->boxmuller_extra, [=] { return curand_normal2(state); });
}
template <typename State>
double curand_normal_double(State* state) {
  return curand_on_cpu::one_of_pair<1>(state->boxmuller_flag_double, state->boxmuller_extra_double,
                                       [=] { return curand_normal2_double(state); });
}
template <typename State>
float curand_log_normal(State* state, float mean, float deviation) {
  return curand_on_cpu::one_of_pair<2>(state->boxmuller_flag, state->boxmuller_extra,
                                       [=] { return curand_log_normal2(state, mean, deviation); });
}
template <typename State>
double curand_log_normal_double(State* state, double mean, double deviation) {
  return curand_on_cpu::one_of_pair<2>(state->boxmuller_flag_double, state->boxmuller_extra_double,
                                       [=] { return curand_log_normal2_double(state, mean, deviation); });
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
