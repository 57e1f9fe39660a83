// input-modified of limits in line 6: --kernel update --block 1 --arg 'int[4]'
__device__ const int limits[4] = {1, 2, 3, 4};

__global__ void update(int* out) {
  int* place = const_cast<int*>(limits);
  place[2] = 7;
  out[0] = limits[2];
}
