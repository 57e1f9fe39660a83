// out-of-bounds in line 7: --kernel load --block 64 --arg 'int[250]=1' --arg 'int[256]'
#include <cub/cub.cuh>

__global__ void load(const int* in, int* out) {
  using Load = cub::BlockLoad<int, 64, 4>;
  int x[4];
  Load().Load(in, x);
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = x[i];
}
