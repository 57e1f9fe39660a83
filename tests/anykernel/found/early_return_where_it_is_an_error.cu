// barrier-divergence in line 7: --kernel tile --block 64 --arg 'float[50]=iota' --arg 'float[50]' --arg int=50 --early-return error
__global__ void tile(const float* A, float* C, int n) {
  __shared__ float As[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  As[t] = A[t];
  __syncthreads();
  C[t] = As[n - 1 - t];
}
