// out-of-bounds of value in line 3: --kernel pairs --block 32 --arg 'float[64]=iota' --arg 'float[32]'
__device__ void load_two(const float* from, float* to) {
  for (int i = 0; i < 2; ++i) to[i] = from[i];
}

__global__ void pairs(const float* A, float* C) {
  float value = 0.0f, factor = 2.0f;
  load_two(A + 2 * threadIdx.x, &value);
  C[threadIdx.x] = value * factor;
}
