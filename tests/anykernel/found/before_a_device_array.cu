// out-of-bounds of row in line 8: --kernel left --block 32 --arg 'float[32]'
// Thread 0 reads the element before the first one.
__device__ float other[40];
__device__ float row[32] = {1, 2, 3};

__global__ void left(float* out) {
  const float* here = row + threadIdx.x;
  out[threadIdx.x] = here[-1] + other[threadIdx.x];
}
