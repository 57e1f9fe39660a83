// What the headers for asynchronous copies, for cuda::barrier, cuda::pipeline, cuda::atomic, and for tensor cores call.
#pragma once

#include <cstddef>

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

namespace pipeline_on_cpu {

// One copy of 4, 8 or 16 bytes, of which the last `zeros` are not read.
void copy(void* to, const void* from, std::size_t size, std::size_t zeros) TILELAB_DOES(copy_whole(to, from, size, zeros, TILELAB_SITE));
// The part of a copy by `count` threads that this one makes.
void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count)
    TILELAB_DOES(copy_pieces(to, from, size, {rank, count}, TILELAB_SITE));
void check_alignment(const void* pointer, std::size_t alignment) TILELAB_DOES(check_aligned(pointer, alignment, TILELAB_SITE));
void commit() TILELAB_DOES(Machine::current().commit_copies());
void wait(std::size_t prior) TILELAB_DOES(Machine::current().wait_for_copies(static_cast<std::uint32_t>(prior)));

}  // namespace pipeline_on_cpu

// A barrier is eight bytes of shared memory.
namespace barrier_on_cpu {

void init(void* barrier, long long expected) TILELAB_DOES(Machine::current().init_barrier(address_of(barrier), expected, TILELAB_SITE));
// Returns the number of the phase that the arrivals count for. `bytes`: so many more are expected. `drops`: later phases expect one less.
// `stays_open`: the phase does not end yet; if this was the last arrival, close() has to follow.
unsigned arrive(void* barrier, long long count, long long bytes = 0, bool drops = false, bool stays_open = false)
    TILELAB_DOES(return Machine::current().arrive(address_of(barrier), {count, bytes, drops, stays_open}, TILELAB_SITE));
bool was_last(void* barrier) TILELAB_DOES(return Machine::current().is_last_arrival(address_of(barrier)));
void close(void* barrier) TILELAB_DOES(Machine::current().close_phase(address_of(barrier)));
void wait(void* barrier, unsigned phase, bool by_parity = false)
    TILELAB_DOES(Machine::current().await_phase(address_of(barrier), phase, by_parity, TILELAB_SITE));
// The part of a copy by `count` threads that this one makes. The end of the barrier's phase completes it.
void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count, void* barrier)
    TILELAB_DOES(copy_pieces(to, from, size, {rank, count}, TILELAB_SITE, barrier));
// The same by one thread, and its bytes count for the barrier.
void copy_bytes(void* to, const void* from, std::size_t size, void* barrier) TILELAB_DOES(copy_bulk(to, from, size, barrier, TILELAB_SITE));

}  // namespace barrier_on_cpu

// Fragments of matrices: `use` is 0 for the left operand, 1 for the right one, 2 for a sum; `type` is an index into the table of
// matrix_fragments.cpp.
namespace wmma_on_cpu {

struct Shape {
  int m, n, k;
};
void load(void* elements, int count, int use, Shape shape, int type, const void* from, unsigned stride, bool by_columns);
void store(const void* elements, int count, Shape shape, int type, void* to, unsigned stride, bool by_columns);
void multiply(void* result, const void* left, const void* right, const void* sum, Shape shape, int type, int result_type, int sum_type,
              bool saturates);
float to_tf32(float value);

}  // namespace wmma_on_cpu

// Values are passed as bits. Orders and scopes are numbered as in CUDA's headers; a number of a kind is 0 for unsigned, 1 for signed, 2 for
// floating.
namespace atomic_on_cpu {

enum class Operation { exchange, compare_exchange, add, subtract, bit_and, bit_or, bit_xor, minimum, maximum };

unsigned long long load(const void* address, unsigned size, int order, int scope);
void store(void* address, unsigned size, unsigned long long value, int order, int scope);
// Returns the old value.
unsigned long long update(void* address, unsigned size, int kind, Operation operation, unsigned long long operand, int order, int scope);
unsigned long long compare_exchange(void* address, unsigned size, unsigned long long expected, unsigned long long desired, int order,
                                    int failure, int scope);
void fence(int order, int scope);

}  // namespace atomic_on_cpu

}  // namespace cuda_on_cpu
