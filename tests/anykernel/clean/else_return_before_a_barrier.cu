// check: --kernel half --block 64 --arg 'int[64]=iota' --arg 'int[64]'
__global__ void half(const int* A, int* C) {
  const int t = threadIdx.x;
  if (t < 32) { C[t] = A[t]; __syncthreads(); } else return;
  C[t] += 1;
}
