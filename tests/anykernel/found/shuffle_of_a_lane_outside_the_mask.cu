// barrier-divergence in line 7: --kernel 'turned<float>' --block 32 --arg 'float[32]=iota' --arg 'float[32]'
#define LOWER 0xffffu
template <typename T>
__global__ void turned(const T* A, T* C) {
  const int t = threadIdx.x;
  T value = A[t];
  value = __shfl_xor_sync(LOWER, value, 1);
  C[t] = value;
}
template __global__ void turned<float>(const float*, float*);
