// crash in line 7: --kernel twice --block 2 --arg 'int[2]'
__global__ void twice(int* out) {
  __shared__ int* room;
  if (threadIdx.x == 0) room = new int[2];
  __syncthreads();
  out[threadIdx.x] = 1;
  delete[] room;
}
