// canary: unscanned, rejected in lines 6
// A function whose accesses the compiler is told not to announce.
#include <tilelab/device.cuh>

#define QUIET __attribute__((no_sanitize("thread")))
QUIET __device__ float quiet(const float* p) { return *p; }

__global__ void canary(float* out, const float* in, int n) { out[threadIdx.x] = quiet(in + n); }
