// canary: timeout by steps
// A loop that touches no memory of others: it ends because its blocks are counted.
#include <tilelab/device.cuh>

__global__ void canary(float* out, const float* in, int n) {
  int state = n;
  while (state > 0) state = state % 7 + 1;
  out[threadIdx.x] = in[threadIdx.x];
}
