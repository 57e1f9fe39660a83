// check: --kernel sums --grid 2 --block 64 --arg 'float[128]=iota' --arg 'float[10]'
__global__ void sums(const float* A, float* C) {
  const int t = threadIdx.x, lane = t % 32;
  const float mine = A[blockIdx.x * 64 + t];
  float all = mine;
  for (int step = 16; step > 0; step /= 2) all += __shfl_down_sync(0xffffffff, all, step);
  if (lane == 0) C[blockIdx.x * 5 + t / 32] = all;
  if (lane < 16) {
    // Upper lanes of the half take values that nobody uses.
    float half = mine;
    for (int step = 8; step > 0; step /= 2) half += __shfl_down_sync(0x0000ffff, half, step);
    if (t == 0) C[blockIdx.x * 5 + 2] = half;
  }
  float before = mine;
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(0xffffffff, before, step);
    if (lane >= step) before += other;
  }
  if (t == 31) C[blockIdx.x * 5 + 3] = before;
  if (t == 63) C[blockIdx.x * 5 + 4] = __shfl_sync(1u << 31, before, 31);
}
