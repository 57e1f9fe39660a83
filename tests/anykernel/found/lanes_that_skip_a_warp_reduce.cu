// barrier-divergence in line 8: --kernel sum --block 32 --arg 'int[32]=1' --arg 'int[1]' --arg int=20
#include <cub/cub.cuh>

__global__ void sum(const int* in, int* out, int n) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ Reduce::TempStorage storage;
  if (threadIdx.x < n) {
    int all = Reduce(storage).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) *out = all;
  }
  __syncwarp();
}
