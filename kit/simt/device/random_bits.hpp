// The generators XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", 2011), with the seeds, subsequences and offsets of cuRAND: the numbers are the same as on a GPU.
#pragma once

#include "vector_types.hpp"

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

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  int unused;  // as above
  double boxmuller_extra_double;
};

static_assert(sizeof(curandStateXORWOW) == 48 && sizeof(curandStatePhilox4_32_10) == 64 && sizeof(curandStateMRG32k3a) == 48);

using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandStateMRG32k3a_t = curandStateMRG32k3a;

inline namespace cuda_on_cpu {

// Word `word` of XORWOW's five after it has begun with `seed` and gone on by `subsequence` times 2^67 numbers and `offset` more.
unsigned __xorwow_word(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, unsigned word);
// The same from words that are given.
unsigned __xorwow_word_after(unsigned v0, unsigned v1, unsigned v2, unsigned v3, unsigned v4, unsigned long long subsequence,
                             unsigned long long offset, unsigned word);
unsigned __xorwow_counter(unsigned long long seed);

}  // namespace cuda_on_cpu

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW* state) {
  state->d = __xorwow_counter(seed) + 362437u * static_cast<unsigned int>(offset);
  for (unsigned int word = 0; word < 5; ++word) state->v[word] = __xorwow_word(seed, subsequence, offset, word);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->unused = 0;
  state->boxmuller_extra_double = 0.0;
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
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
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
