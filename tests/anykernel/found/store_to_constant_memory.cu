// input-modified of table in line 7: --kernel update --block 4 --arg 'float[4]'
// A store through a pointer: a compiler for GPUs refuses only the plain one.
__constant__ float table[4] = {1, 2, 3, 4};

__device__ void set(const float* where, float value) {
  float* place = const_cast<float*>(where);
  *place = value;
}

__global__ void update(float* out) {
  if (threadIdx.x == 0) set(table, 5);
  out[threadIdx.x] = 1;
}
