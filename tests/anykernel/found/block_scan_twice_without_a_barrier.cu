// race of storage in line 9: --kernel scan --block 96 --arg 'int[96]=1' --arg 'int[96]'
#include <cub/cub.cuh>

__global__ void scan(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 96>;
  __shared__ Scan::TempStorage storage;
  int x = in[threadIdx.x], total;
  Scan(storage).ExclusiveSum(x, x, total);
  Scan(storage).InclusiveSum(x, x);
  out[threadIdx.x] = x + total;
}
