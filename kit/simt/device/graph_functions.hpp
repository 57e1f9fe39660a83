// What a kernel may say to the graph that it is a node of: the value of a condition. Graphs themselves are made by host code: kit/host_api.
#pragma once

typedef unsigned long long cudaGraphConditionalHandle;  // here: the address of four bytes of the device's memory

#if !defined(TILELAB_HOST_API)

#include "atomic_functions.hpp"

inline namespace cuda_on_cpu {

// Several threads may say it: the last one counts.
inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  (void)atomicExch(reinterpret_cast<unsigned int*>(handle), value);
}

}  // namespace cuda_on_cpu

#endif
