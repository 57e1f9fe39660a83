// CUDA's device language for a host compiler. Standard headers come first, because libstdc++ uses names such as __noinline__,
// which CUDA's qualifiers define as macros below.
#pragma once

// libstdc++'s special functions (std::legendre and the like) are templates that GCC makes anew in every file, which takes longer than
// all of a kernel. No GPU has them, and host code gets them.
#include <cstddef>
#if !defined(TILELAB_HOST_API)
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif

#include <math.h>
#include <algorithm>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <type_traits>
#include <utility>

#include "arithmetic_functions.hpp"
#include "half_functions.hpp"
#include "inline_ptx.hpp"
#include "launch_functions.hpp"
#include "library_calls.hpp"
#include "texture_functions.hpp"
#include "thread_functions.hpp"

// CUDA's qualifiers, and the intrinsics whose names the C library declares for itself. They are last: no standard header may follow.
//
// Code that asks whether it is compiled as CUDA or for the device gets yes. __CUDA_ARCH__ has the value that nvcc has on the machine
// that grades: the grader sets it on the command line. Host code has none.
#if defined(TILELAB_HOST_API)
#include "host_qualifiers.hpp"
#else
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

// What a declaration says is read from the object file, where `retain` is a flag and an alignment a number of the function's or the
// variable's section: grader/engines/objects/symbol_table.py.
#define __host__ __attribute__((aligned(64)))
#define __device__ __attribute__((retain))
#define __global__ __attribute__((used, retain, aligned(128)))
#define __shared__ thread_local
#define __constant__ __attribute__((retain, aligned(2048)))
#define __managed__ __attribute__((retain))
#endif

#include "toolkit_version.hpp"

#define __grid_constant__
#define __forceinline__ inline
#define __noinline__  // empty: libstdc++ uses the name inside __attribute__((…)), and nothing is inlined here
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))

// GCC makes moves of a __builtin_ copy whose length it knows, Clang the copy of an object; of the plain names both make calls.
#define __builtin_memcpy(...) memcpy(__VA_ARGS__)
#define __builtin_memmove(...) memmove(__VA_ARGS__)
#define __builtin_memset(...) memset(__VA_ARGS__)

#define __builtin_assume(...) ((void)0)  // GCC has none; a promise to the optimiser, and nothing is optimised here

#define __expf(...) ::fast_expf(__VA_ARGS__)
#define __exp10f(...) ::fast_exp10f(__VA_ARGS__)
#define __logf(...) ::fast_logf(__VA_ARGS__)
#define __log2f(...) ::fast_log2f(__VA_ARGS__)
#define __log10f(...) ::fast_log10f(__VA_ARGS__)
#define __powf(...) ::fast_powf(__VA_ARGS__)
#define __sinf(...) ::fast_sinf(__VA_ARGS__)
#define __cosf(...) ::fast_cosf(__VA_ARGS__)
#define __tanf(...) ::fast_tanf(__VA_ARGS__)
#define __tanhf(...) ::fast_tanhf(__VA_ARGS__)
#define __sincosf(...) ::fast_sincosf(__VA_ARGS__)
