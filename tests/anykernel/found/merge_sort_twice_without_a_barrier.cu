// race of storage in line 10: --kernel sort --block 64 --arg 'int[128]=random' --arg 'int[128]'
#include <cub/cub.cuh>
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };

__global__ void sort(const int* in, int* out) {
  using Sort = cub::BlockMergeSort<int, 64, 2>;
  __shared__ Sort::TempStorage storage;
  int x[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
  Sort(storage).Sort(x, Less());
  Sort(storage).Sort(x, Less());
  out[2 * threadIdx.x] = x[0];
  out[2 * threadIdx.x + 1] = x[1];
}
