// barrier-divergence in line 10: --kernel total --block 64 --arg 'float[64]=iota' --arg 'float[1]'
__global__ void total(const float* values, float* sum) {
  __shared__ float part[64];
  const unsigned t = threadIdx.x;
  part[t] = values[t];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (t < half) {
      part[t] += part[t + half];
      __syncthreads();
    }
  }
  if (t == 0) *sum = part[0];
}
