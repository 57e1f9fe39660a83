// check: --kernel sums --block 64 --arg 'int[50]=iota' --arg 'int[1]' --arg int=50
__global__ void sums(const int* A, int* C, int n) {
  __shared__ int part[64];
  const int t = threadIdx.x;
  part[t] = t < n ? A[t] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t != 0) return;
  *C = part[0];
}
