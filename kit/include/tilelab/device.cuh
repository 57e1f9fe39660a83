// The only header a submission needs. Under nvcc it is CUDA's own runtime header; elsewhere it is CUDA's device language
// as the CPU executor provides it. Either way it adds LaunchConfig.
#pragma once

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include "cuda_on_cpu.hpp"
#endif

// What a launch function answers: <<<grid, block, shared_bytes>>>.
struct LaunchConfig {
  dim3 grid;                  // blocks
  dim3 block;                 // threads in a block, at most 1,024
  unsigned shared_bytes = 0;  // dynamic shared memory a block gets, in bytes
};
