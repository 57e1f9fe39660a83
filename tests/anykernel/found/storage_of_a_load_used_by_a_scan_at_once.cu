// race of storage in line 13: --kernel scan --block 64 --arg 'int[256]=1' --arg 'int[256]'
#include <cub/cub.cuh>

__global__ void scan(const int* in, int* out) {
  using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union {
    Load::TempStorage load;
    Scan::TempStorage scan;
  } storage;
  int x[4];
  Load(storage.load).Load(in, x);
  Scan(storage.scan).InclusiveSum(x, x);
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = x[i];
}
