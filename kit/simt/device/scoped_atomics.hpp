// What the header for cuda::atomic calls. Values are passed as bits. Orders and scopes are numbered as in CUDA's headers; a number
// of a kind is 0 for unsigned, 1 for signed, 2 for floating.
#pragma once

inline namespace cuda_on_cpu {

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
