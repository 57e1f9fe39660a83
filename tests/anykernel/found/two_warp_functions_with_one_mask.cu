// barrier-divergence in line 6: --kernel mixed --block 32 --arg 'int[32]=iota' --arg 'int[32]'
__global__ void mixed(const int* A, int* C) {
  const int t = threadIdx.x;
  int value = A[t];
  if (t < 8)
    __syncwarp();
  else
    value = __ballot_sync(0xffffffff, value > 9);
  C[t] = value;
}
