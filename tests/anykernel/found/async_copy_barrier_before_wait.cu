// race of tile in line 5: --kernel early --block 32 --arg 'float[32]=iota' --arg 'float[32]'
__global__ void early(const float* A, float* C) {
  __shared__ float tile[32];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(A + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  __syncthreads();
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  C[threadIdx.x] = tile[31 - threadIdx.x];
}
