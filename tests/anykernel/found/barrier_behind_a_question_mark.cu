// barrier-divergence in line 5: --kernel asked --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__global__ void asked(const int* A, int* C) {
  const int t = threadIdx.x;
  C[t] = A[t];
  t % 2 == 0 ? __syncthreads() : void();
}
