// canary: out-of-bounds in lines 12 13 14 15
// Addresses that start from a local array or a tile and lead out of it.
#include <tilelab/device.cuh>

__global__ void canary(float* out, const float* in, int n) {
  __shared__ float tile[4][16];
  float local[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  float* inside = local;
  const long away = (in + 4096) - local;
  const int t = threadIdx.x;
  float sum = 0;
  if (t == 0) sum = inside[away];
  if (t == 1) inside[away] = 1;
  if (t == 2) sum = local[n];
  if (t == 3) tile[1][16 + n - 32] = 1;
  out[t] = sum;
}
