// check: --kernel 'roles<3>' --block 96 --arg 'int[96]=iota' --arg 'int[96]'
template <int Warps>
__global__ void roles(const int* A, int* C) {
  __shared__ int part[Warps * 32];
  const int t = threadIdx.x;
  part[t] = 0;
  switch (t / 32) {
    case 0:
      part[t] = A[t];
      __syncthreads();
      C[t] = part[31 - t];
      break;
    case 1: C[t] = 1; return;
    default: {
      C[t] = 2;
      return;
    }
  }
  if (t < 16) __syncwarp(0x0000ffff);
}
template __global__ void roles<3>(const int*, int*);
