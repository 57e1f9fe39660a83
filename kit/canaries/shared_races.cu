// canary: race in lines 12 13 14 15
// Shared memory of both kinds, in words and in objects, without the barrier that it needs.
#include <tilelab/device.cuh>

extern __shared__ float dynamic[];

__global__ void canary(float* out, const float* in, int n) {
  __shared__ float tile[32];
  __shared__ float4 wide[32];
  __shared__ float2 pairs[32];
  const int t = threadIdx.x;
  dynamic[t] = in[t];
  tile[t] = in[t];
  wide[t] = make_float4(in[t], 0, 0, 0);
  pairs[t] = float2{in[t], 1};
  const int other = n - 1 - t;
  out[t] = dynamic[other] + tile[other] + wide[other].x + pairs[other].y;
}
