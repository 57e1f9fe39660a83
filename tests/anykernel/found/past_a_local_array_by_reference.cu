// out-of-bounds of low in line 3: --kernel ends --block 32 --arg 'float[32]=iota' --arg 'float[32]'
__device__ void put(float (&pair)[2], int at, float value) {
  (&pair[0])[at] = value;
}

__global__ void ends(const float* A, float* C) {
  float high[2] = {0, 0};
  {
    float low[2];
    put(low, 0, A[threadIdx.x]);
    put(low, 2, A[31 - threadIdx.x]);
    C[threadIdx.x] = low[0] + high[1];
  }
}
