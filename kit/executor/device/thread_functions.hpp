// What a thread asks of its block, its warp and its launch: built-in variables, barriers, fences, shuffles, votes, the clock, and where an
// address points. Shuffles are overloads and not templates, so that a call belongs to the student's statement.
#pragma once

#include <cstddef>

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

// The machine sets them whenever another thread continues.
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;  // no constant to a compiler, as on a GPU

// Barriers and fences.
#define TILELAB_BARRIER(reduction, predicate) \
  Machine::current().barrier(TILELAB_STATEMENT, tilelab::simt::BarrierReduction::reduction, predicate, TILELAB_CALLER_FRAME)
void __syncthreads() TILELAB_DOES(TILELAB_BARRIER(none, 0));
int __syncthreads_count(int predicate) TILELAB_DOES(return TILELAB_BARRIER(count, predicate));
int __syncthreads_and(int predicate) TILELAB_DOES(return TILELAB_BARRIER(all, predicate));
int __syncthreads_or(int predicate) TILELAB_DOES(return TILELAB_BARRIER(any, predicate));
#undef TILELAB_BARRIER
void __grid_barrier() TILELAB_DOES(Machine::current().grid_barrier(TILELAB_STATEMENT, TILELAB_CALLER_FRAME));
bool __grid_is_cooperative() TILELAB_DOES(return Machine::current().is_cooperative());
void __syncwarp(unsigned mask = 0xFFFFFFFFu) TILELAB_DOES((void)TILELAB_ASK(unsigned, sync, 0));
void __threadfence() TILELAB_DOES(Machine::current().fence(TILELAB_STATEMENT));
void __threadfence_block() TILELAB_DOES(Machine::current().fence(TILELAB_STATEMENT, true));
void __threadfence_system() TILELAB_DOES(Machine::current().fence(TILELAB_STATEMENT));
void __nanosleep(unsigned nanoseconds) TILELAB_DOES((void)nanoseconds; Machine::current().edge(TILELAB_STATEMENT));
[[noreturn]] void __trap() TILELAB_DOES(Machine::current().trap("calls __trap()", TILELAB_STATEMENT));
void __needs_more_poisson_numbers()
    TILELAB_DOES(Machine::current().trap("calls curand_poisson() with a mean from 64 to 4,000, which the CPU executor does not know",
                                         TILELAB_STATEMENT, 0, true));

// A return statement of the kernel is about to be executed. The builder puts the call there; a submission cannot use the name.
void tilelab_leaves() TILELAB_DOES(Machine::current().returns(TILELAB_PC));

// Shuffles, votes, match and reduce.
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

// The CPU executor has no time: its clock counts steps, and runs faster in a loop that does nothing but read it, so that a kernel that
// waits for a number of cycles ends.
long long clock64() TILELAB_DOES(return Machine::active() ? static_cast<long long>(Machine::current().clock(TILELAB_STATEMENT)) : 0);
bool __isGlobal(const void* address) TILELAB_DOES(return TILELAB_LIES(is_global, address));
bool __isShared(const void* address) TILELAB_DOES(return TILELAB_LIES(is_shared, address));
bool __isConstant(const void* address) TILELAB_DOES(return TILELAB_LIES(is_constant, address));
bool __isLocal(const void* address) TILELAB_DOES(return TILELAB_LIES(is_local, address));
std::size_t __cvta_generic_to_global(const void* address) TILELAB_DOES(return reinterpret_cast<std::size_t>(address));
std::size_t __cvta_generic_to_shared(const void* address)
    TILELAB_DOES(return Machine::active() ? reinterpret_cast<std::size_t>(address) - Machine::current().shared_base() : 0);
void* __cvta_global_to_generic(std::size_t address) TILELAB_DOES(return reinterpret_cast<void*>(address));
void* __cvta_shared_to_generic(std::size_t address)
    TILELAB_DOES(return reinterpret_cast<void*>(Machine::active() ? address + Machine::current().shared_base() : 0));

}  // namespace cuda_on_cpu
