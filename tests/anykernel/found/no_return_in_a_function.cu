// crash in line 2: --kernel limit --block 64 --arg 'float[64]=iota' --arg 'float[64]'
__device__ float limited(float value) {
  if (value > 50.0f) return 50.0f;
  if (value < 40.0f) {
    return value;
  }
}

__global__ void limit(const float* A, float* C) {
  C[threadIdx.x] = limited(A[threadIdx.x]);
}
