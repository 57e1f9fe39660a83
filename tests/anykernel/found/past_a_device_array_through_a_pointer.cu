// out-of-bounds of front in line 8: --kernel swap_buffers --block 32 --arg 'float[32]=iota'
// A helper gets the pointer, and stores far past its array, which begins with zeros.
__device__ float front[32], back[32];
__device__ float* buffers[2] = {front, back};

__device__ void store(float* where, int at, float value) {
  const int place = at;
  where[place] = value;
}

__global__ void swap_buffers(const float* in) {
  store(buffers[0], threadIdx.x + 8, in[threadIdx.x]);
  store(buffers[1], threadIdx.x, in[threadIdx.x]);
}
