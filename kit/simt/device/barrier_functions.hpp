// What the headers for cuda::barrier, cuda::pipeline and mbarriers call. A barrier is eight bytes of shared memory.
#pragma once

#include <cstddef>

inline namespace cuda_on_cpu {

namespace barrier_on_cpu {

void init(void* barrier, long long expected);
// Each returns the number of the phase that the arrival counts for.
unsigned arrive(void* barrier, long long count);
unsigned arrive_and_drop(void* barrier);
unsigned arrive_and_expect(void* barrier, long long count, long long bytes);
void expect(void* barrier, long long bytes);
// An arrival that does not end the phase. If it was the last one, close() has to follow.
unsigned arrive_and_keep_open(void* barrier, long long count);
bool was_last(void* barrier);
void close(void* barrier);
void wait(void* barrier, unsigned phase);
bool try_wait(void* barrier, unsigned phase);
void wait_parity(void* barrier, bool parity);
bool try_wait_parity(void* barrier, bool parity);
// The part of a copy by `count` threads that this one makes. The end of the barrier's phase completes it.
void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count, void* barrier);
// The same by one thread, and its bytes count for the barrier.
void copy_bytes(void* to, const void* from, std::size_t size, void* barrier);

}  // namespace barrier_on_cpu

}  // namespace cuda_on_cpu
