// __pipeline_memcpy_async() and what completes such copies. Replaces CUDA's header of this name.
#pragma once

#include "cuda_on_cpu.hpp"

#include <cstddef>

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t size, std::size_t zeros = 0) {
  ::pipeline_on_cpu::copy(to, from, size, zeros);
}
inline void __pipeline_commit() { ::pipeline_on_cpu::commit(); }
inline void __pipeline_wait_prior(std::size_t prior) { ::pipeline_on_cpu::wait(prior); }
