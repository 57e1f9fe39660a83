// threadIdx and similar variables. The machine sets them whenever another thread continues.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;  // no constant to a compiler, as on a GPU
}  // namespace cuda_on_cpu
