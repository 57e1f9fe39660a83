// barrier-divergence in line 4: --kernel called --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__global__ void called(const int* A, int* C) {
  auto meet = [&](int t) {
    if (t < 32) __syncthreads();
    return;
  };
  meet(threadIdx.x);
  C[threadIdx.x] = A[threadIdx.x];
}
