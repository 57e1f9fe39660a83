// race of storage in line 9: --kernel load --block 64 --arg 'int[128]=random' --arg 'int[128]'
#include <cub/cub.cuh>

__global__ void load(const int* in, int* out) {
  using Load = cub::WarpLoad<int, 2, cub::WARP_LOAD_TRANSPOSE>;
  __shared__ Load::TempStorage storage;  // one for both warps
  const int from = threadIdx.x / 32 * 64;
  int x[2];
  Load(storage).Load(in + from, x);
  out[2 * threadIdx.x] = x[0];
  out[2 * threadIdx.x + 1] = x[1];
}
