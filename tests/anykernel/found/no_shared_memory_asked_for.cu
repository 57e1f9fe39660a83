// out-of-bounds in line 5: --kernel reverse --block 32 --arg 'int[32]=iota'
__global__ void reverse(int* A) {
  extern __shared__ int tile[];
  const int t = threadIdx.x;
  tile[t] = A[t];
  __syncthreads();
  A[t] = tile[31 - t];
}
