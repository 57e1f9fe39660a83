// barrier-divergence in line 4: --kernel any_above --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__device__ int any_of(unsigned mask, int what) {
  // Every lane calls it, whatever the mask.
  return __any_sync(mask, what);
}
__global__ void any_above(const int* A, int* C) { C[threadIdx.x] = any_of(0x0000ffff, A[threadIdx.x] > 3); }
