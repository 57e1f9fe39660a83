// canary: unscanned, rejected
// Code that would run before any kernel.
#include <tilelab/device.cuh>

int early(int* p) { return *p = 1; }
static int somewhere;
static int before = early(&somewhere);

__global__ void canary(float* out, const float* in, int n) { out[threadIdx.x] = in[threadIdx.x] + before; }
