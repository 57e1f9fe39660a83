// race in line 6: --kernel share --block 64 --arg 'int[1]=0'
__global__ void share(int* out) {
  __shared__ int* given;
  if (threadIdx.x == 0) given = static_cast<int*>(malloc(4 * sizeof(int)));
  __syncthreads();
  given[threadIdx.x % 4] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) free(given);
}
