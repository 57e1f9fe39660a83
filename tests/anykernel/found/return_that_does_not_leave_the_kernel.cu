// barrier-divergence in line 4: --kernel apart --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__device__ void meet(unsigned t) {
  if (t >= 40) return;
  __syncthreads();
}

__global__ void apart(const int* A, int* C) {
  meet(threadIdx.x);
  C[threadIdx.x] = A[threadIdx.x];
}
