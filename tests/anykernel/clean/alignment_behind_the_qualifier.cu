// check: --kernel k --block 32 --arg 'int[32]'
// nvcc takes an alignment behind __shared__ and __device__, too.
__device__ alignas(16) int twice[2];
template <typename T>
__device__ T half(T a) { __shared__ alignas(sizeof(float4)) T some[32]; some[threadIdx.x] = a; __syncthreads(); return some[31 - threadIdx.x]; }
__global__ void k(int* out) {
  __shared__ alignas(128) int tile[32];
  tile[threadIdx.x] = half<int>(threadIdx.x);
  out[threadIdx.x] = tile[threadIdx.x] + int(size_t(tile) % 128) + twice[0];
}
