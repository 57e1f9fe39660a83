// out-of-bounds of other in line 6: --kernel part --block 8 --arg 'float[8]'
__global__ void part(float* C) {
  __shared__ float one[8][4], other[8][4];
  one[threadIdx.x][1] = other[threadIdx.x][1] = 1;
  __syncthreads();
  C[threadIdx.x]  =  one[threadIdx.x][1] /* the next row */ + other[threadIdx.x + 1][1];
}
