// Barriers and fences.
#pragma once

inline namespace cuda_on_cpu {

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __grid_barrier();
bool __grid_is_cooperative();
void __syncwarp(unsigned mask = 0xFFFFFFFFu);
void __threadfence();
void __threadfence_block();
void __threadfence_system();
void __nanosleep(unsigned nanoseconds);
[[noreturn]] void __trap();

// A return statement of the kernel is about to be executed. The builder puts the call there; a submission cannot use the name.
void tilelab_leaves();

}  // namespace cuda_on_cpu
