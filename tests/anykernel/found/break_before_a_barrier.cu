// barrier-divergence in line 8: --kernel steps --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__global__ void steps(const int* A, int* C) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 64; ++i) {
    if (i > A[t]) break;
    sum += i;
    __syncthreads();
  }
  C[t] = sum;
}
