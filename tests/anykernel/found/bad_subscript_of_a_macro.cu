// out-of-bounds of other in line 9: --kernel part --block 8 --arg 'float[8]'
#define AT(array, row) (array)[row][1]
#define OF(array, row) array[row][1]

__global__ void part(float* C) {
  __shared__ float one[8][4], other[8][4];
  AT(one, threadIdx.x) = OF(other, threadIdx.x) = 1;
  __syncthreads();
  C[threadIdx.x] = OF(one, threadIdx.x) + OF(other, threadIdx.x + 1);
}
