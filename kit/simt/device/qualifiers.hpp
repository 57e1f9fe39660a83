// CUDA's qualifiers. Last of the device headers: nothing of the standard library may follow.
#pragma once

#define __host__
#define __device__
#define __global__ __attribute__((used))
#define __shared__ thread_local
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
