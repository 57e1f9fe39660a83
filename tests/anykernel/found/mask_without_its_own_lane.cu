// barrier-divergence in line 9: --kernel half_sum --block 32 --arg 'int[1]'
__global__ void half_sum(int* sum) {
  __shared__ int part[32];
  const int t = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, t < 16);
  if (t > 16) return;
  part[t] = t;

  __syncwarp(mask);
  if (t == 0) {
    *sum = 0;
    for (int i = 0; i < 16; ++i) *sum += part[i];
  }
}
