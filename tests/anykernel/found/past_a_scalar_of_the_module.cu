// out-of-bounds of total in line 7: --kernel count --block 2 --arg 'int[2]'
__device__ int total;
__device__ int others;

__global__ void count(int* out) {
  int* place = &total;
  atomicAdd(place + threadIdx.x, 1);
  out[threadIdx.x] = others;
}
