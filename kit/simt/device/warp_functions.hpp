// Shuffles, votes, match and reduce. They are overloads and not templates, so that a call belongs to the student's statement.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

#define TILELAB_SHUFFLES(T)                                                                                                              \
  T __shfl_sync(unsigned mask, T value, int source, int width = 32) TILELAB_DOES(TILELAB_SHUFFLE(source, true));                         \
  T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) TILELAB_DOES(TILELAB_SHUFFLE(TILELAB_LANE - delta, false));   \
  T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) TILELAB_DOES(TILELAB_SHUFFLE(TILELAB_LANE + delta, false)); \
  T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) TILELAB_DOES(TILELAB_SHUFFLE(TILELAB_LANE ^ lane_mask, false));
#define TILELAB_MATCHES(T)                                                                                                            \
  TILELAB_SHUFFLES(T)                                                                                                                 \
  unsigned __match_any_sync(unsigned mask, T value) TILELAB_DOES(return TILELAB_ASK(unsigned, match_any, value));                     \
  unsigned __match_all_sync(unsigned mask, T value, int* all_equal)                                                                   \
      TILELAB_DOES(const auto lanes = TILELAB_ASK(unsigned, match_all, value); TILELAB_ANNOUNCE(all_equal, sizeof *all_equal, write); \
                   *all_equal = lanes != 0 ? 1 : 0; return lanes);

TILELAB_MATCHES(int)
TILELAB_MATCHES(unsigned int)
TILELAB_MATCHES(long)
TILELAB_MATCHES(unsigned long)
TILELAB_MATCHES(long long)
TILELAB_MATCHES(unsigned long long)
TILELAB_MATCHES(float)
TILELAB_MATCHES(double)
#undef TILELAB_MATCHES

int __all_sync(unsigned mask, int predicate) TILELAB_DOES(return TILELAB_ASK(int, vote_all, predicate != 0 ? 1u : 0u));
int __any_sync(unsigned mask, int predicate) TILELAB_DOES(return TILELAB_ASK(int, vote_any, predicate != 0 ? 1u : 0u));
unsigned __ballot_sync(unsigned mask, int predicate) TILELAB_DOES(return TILELAB_ASK(unsigned, ballot, predicate != 0 ? 1u : 0u));
unsigned __activemask() TILELAB_DOES(return Machine::current().converge(TILELAB_STATEMENT));
int __reduce_add_sync(unsigned mask, int value) TILELAB_DOES(return TILELAB_ASK(int, reduce_add, value));
int __reduce_min_sync(unsigned mask, int value) TILELAB_DOES(return TILELAB_ASK(int, reduce_min_signed, value));
int __reduce_max_sync(unsigned mask, int value) TILELAB_DOES(return TILELAB_ASK(int, reduce_max_signed, value));
unsigned __reduce_add_sync(unsigned mask, unsigned value) TILELAB_DOES(return TILELAB_ASK(unsigned, reduce_add, value));
unsigned __reduce_min_sync(unsigned mask, unsigned value) TILELAB_DOES(return TILELAB_ASK(unsigned, reduce_min_unsigned, value));
unsigned __reduce_max_sync(unsigned mask, unsigned value) TILELAB_DOES(return TILELAB_ASK(unsigned, reduce_max_unsigned, value));
unsigned __reduce_and_sync(unsigned mask, unsigned value) TILELAB_DOES(return TILELAB_ASK(unsigned, reduce_and, value));
unsigned __reduce_or_sync(unsigned mask, unsigned value) TILELAB_DOES(return TILELAB_ASK(unsigned, reduce_or, value));
unsigned __reduce_xor_sync(unsigned mask, unsigned value) TILELAB_DOES(return TILELAB_ASK(unsigned, reduce_xor, value));

}  // namespace cuda_on_cpu
