// barrier-divergence in line 6: --kernel jumps --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__global__ void jumps(const int* A, int* C) {
  const int t = threadIdx.x;
  if (t >= 50) goto done;
  C[t] = A[t];
  __syncthreads();
done:
  C[t] = 2 * A[t];
}
