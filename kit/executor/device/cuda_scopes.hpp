// Which threads take part in something, and sizes with an alignment: for the headers of libcu++.
#pragma once

#include "cuda_on_cpu.hpp"

#include <cfloat>
#include <cstddef>

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  explicit aligned_size_t(::std::size_t size) : value(size) {}
  operator ::std::size_t() const { return value; }
};

namespace on_cpu {

// Both ends have to be aligned as a size of this type says.
template <::std::size_t Alignment>
void check_ends(const void* to, const void* from, aligned_size_t<Alignment>) {
  ::pipeline_on_cpu::check_alignment(to, Alignment);
  ::pipeline_on_cpu::check_alignment(from, Alignment);
}
inline void check_ends(const void*, const void*, ::std::size_t) {}

}  // namespace on_cpu

}  // namespace cuda
