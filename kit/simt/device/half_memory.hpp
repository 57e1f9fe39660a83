// Half-precision numbers: loads and stores through caches, atomics, shuffles.
#pragma once

#include "atomic_functions.hpp"
#include "half_functions.hpp"
#include "load_functions.hpp"
#include "warp_functions.hpp"

inline namespace cuda_on_cpu {
namespace cuda_fp16_on_cpu {

TILELAB_CACHED(__half)
TILELAB_CACHED(__half2)
TILELAB_ATOMIC(atomicAdd, __half, __hadd(old, value))
TILELAB_ATOMIC(atomicAdd, __half2, __hadd2(old, value))
TILELAB_SHUFFLES(__half)
TILELAB_SHUFFLES(__half2)
#undef TILELAB_CACHED
#undef TILELAB_ATOMIC
#undef TILELAB_SHUFFLES

}  // namespace cuda_fp16_on_cpu
}  // namespace cuda_on_cpu
