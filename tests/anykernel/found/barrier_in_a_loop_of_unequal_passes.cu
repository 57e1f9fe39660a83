// barrier-divergence in line 6: --kernel strided --block 64 --arg 'float[100]=iota' --arg 'float[100]' --arg int=100
template <typename T>
__device__ void copy_all(const T* from, T* to, int n) {
  for (int s = threadIdx.x; s < n; s += blockDim.x) {
    to[s] = from[s];
    __syncthreads();
  }
}

__global__ void strided(const float* A, float* C, int n) { copy_all<float>(A, C, n); }
