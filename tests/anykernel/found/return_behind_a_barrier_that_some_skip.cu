// barrier-divergence in line 6: --kernel steps --block 64 --arg 'int[64]=iota' --arg 'int[64]=0'
__global__ void steps(const int* A, int* C) {
  const int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    __syncthreads();
    if (t < 40) __syncthreads();
    if (i == 2) return;
    C[t] += A[t];
  }
}
