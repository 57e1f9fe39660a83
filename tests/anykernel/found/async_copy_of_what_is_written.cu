// race of A in line 7: --kernel change --block 32 --arg 'float[32]=iota'
// What is copied changes while the copy is under way.
__global__ void change(float* A) {
  __shared__ float tile[32];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(A + threadIdx.x) : "memory");
  A[threadIdx.x] = 0;
  asm volatile("cp.async.wait_all;" ::: "memory");
  A[threadIdx.x] = tile[threadIdx.x];
}
