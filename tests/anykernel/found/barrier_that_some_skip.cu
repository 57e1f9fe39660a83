// barrier-divergence in line 5: --kernel flags --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__global__ void flags(const int* A, int* C) {
  C[threadIdx.x] = A[threadIdx.x];
  if (threadIdx.x < 48)
    __syncthreads();
}
