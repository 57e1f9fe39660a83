// The only header that a submission needs. Under nvcc it is CUDA's own runtime header. Elsewhere it is CUDA's device language as
// the CPU executor provides it. In both cases it adds LaunchConfig.
#pragma once

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include "cuda_on_cpu.hpp"
#endif

// The answer of a launch function: <<<grid, block, shared_bytes>>>.
struct LaunchConfig {
  dim3 grid;                     // blocks
  dim3 block;                    // threads in a block, at most 1,024
  std::size_t shared_bytes = 0;  // dynamic shared memory of a block, in bytes: n * sizeof(float) fits without a cast
};
