// race of storage in line 10: --kernel sums --block 128 --arg 'int[256]=1' --arg 'int[2]'
#include <cub/block/block_reduce.cuh>

__global__ void sums(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ Reduce::TempStorage storage;
  for (int half = 0; half < 2; ++half) {
    int x = in[half * 128 + threadIdx.x];
    // the next pass needs __syncthreads()
    int sum = Reduce(storage).Sum(x);
    if (threadIdx.x == 0) out[half] = sum;
  }
}
