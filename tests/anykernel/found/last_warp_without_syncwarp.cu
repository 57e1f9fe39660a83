// race of s in line 5: --kernel sum --grid 2 --block 128 --arg 'float[256]=random' --arg 'float[2]'
// The last warp is believed to run in lockstep: volatile, and no __syncwarp().
__device__ void last_warp(volatile float* s, unsigned t) {
  for (int step = 32; step > 0; step /= 2)
    s[t] += s[t + step];
}
__global__ void sum(const float* x, float* y) {
  __shared__ float s[128];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) last_warp(s, t);
  if (t == 0) y[blockIdx.x] = s[0];
}
