// check: --kernel steps --block 64 --arg 'int[64]=iota' --arg 'int[64]=0'
__global__ void steps(const int* A, int* C) {
  const int t = threadIdx.x;
  for (int i = 0;; ++i) {
    switch (t % 4 + i) {
      case 3: return;
      case 4: return;
      case 5: break;
      default: C[t] += A[t];
    }
    __syncthreads();
    if (i == 5) break;
  }
  for (int i = 0;; ++i) {
    __syncthreads();
    if (i * 16 >= t) return;
    __syncthreads();
  }
}
