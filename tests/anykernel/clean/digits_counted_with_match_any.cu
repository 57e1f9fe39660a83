// check: --kernel count_digits --grid 3 --block 96 --arg 'const unsigned[300]=random(0,65535)' --arg 'int[16]=0' --arg int=300 --arg int=4
__global__ void count_digits(const unsigned* keys, int* counts, int n, int shift) {
  __shared__ int of_block[16];
  if (threadIdx.x < 16) of_block[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const unsigned digit = keys[i] >> shift & 15u;
    const unsigned together = __activemask(), same = __match_any_sync(together, digit);
    const int leader = __ffs(same) - 1;
    if (threadIdx.x % 32 == leader) atomicAdd(&of_block[digit], __popc(same));
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}
