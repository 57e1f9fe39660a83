// out-of-bounds of out in line 7: --kernel store --block 32 --arg 'int[50]' --arg int=50
#include <cub/cub.cuh>

__global__ void store(int* out, int n) {
  using Store = cub::WarpStore<int, 2>;
  int x[2] = {1, 2};
  Store().Store(out, x);  // all 64, and n is 50
}
