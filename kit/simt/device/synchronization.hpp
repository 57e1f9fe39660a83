// Barriers and fences.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

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

// A return statement of the kernel is about to be executed. The builder puts the call there; a submission cannot use the name.
void tilelab_leaves() TILELAB_DOES(Machine::current().returns(TILELAB_PC));

}  // namespace cuda_on_cpu
