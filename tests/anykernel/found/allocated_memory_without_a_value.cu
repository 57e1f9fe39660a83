// uninitialized-read in line 7: --kernel histogram --block 32 --arg 'int[32]=7' --arg 'int[32]'
// malloc does not set what it allocates to zero.
__global__ void histogram(const int* values, int* result) {
  int t = threadIdx.x;
  __shared__ int* bins;
  if (t == 0) bins = static_cast<int*>(malloc(32 * sizeof(int))); __syncthreads();
  int* mine = bins + t; *mine += values[t];
  result[t] = *mine;
  __syncthreads();
  if (t == 0) free(bins);
}
