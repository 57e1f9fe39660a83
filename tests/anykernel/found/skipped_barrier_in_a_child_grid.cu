// barrier-divergence in line 5: --kernel parent --grid 1 --block 1 --arg 'int[64]=1' --arg 'int[64]'
__global__ void shift(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 48) __syncthreads();
  out[threadIdx.x] = threadIdx.x < 32 ? tile[threadIdx.x] : 0;
}

__global__ void parent(const int* in, int* out) { shift<<<1, 64>>>(in, out); }
