// What the headers for asynchronous copies and for tensor cores call.
#pragma once

#include <cstddef>

inline namespace cuda_on_cpu {

namespace pipeline_on_cpu {

// One copy of 4, 8 or 16 bytes, of which the last `zeros` are not read.
void copy(void* to, const void* from, std::size_t size, std::size_t zeros);
// The part of a copy by `count` threads that this one makes.
void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count);
void check_alignment(const void* pointer, std::size_t alignment);
void commit();
void wait(std::size_t prior);

}  // namespace pipeline_on_cpu

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

}  // namespace cuda_on_cpu
