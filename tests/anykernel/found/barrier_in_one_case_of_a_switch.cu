// barrier-divergence in line 7: --kernel parts --block 96 --arg 'int[96]'
__global__ void parts(int* C) {
  const int t = threadIdx.x;
  switch (t / 32) {
    case 0:
      C[t] = 0;
      __syncthreads();
      break;
    case 1: C[t] = 1; break;
    default: C[t] = 2;
  }
}
