// race of tile in line 19: --kernel stages --block 32 --arg 'float[512]=iota' --arg 'float[512]'
// Both tiles are on their way, and wait_group 2 waits for neither.
__device__ void copy(float* to, const float* from) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void stages(const float* A, float* C) {
  __shared__ float tile[2][32];
  const int t = threadIdx.x;
  copy(&tile[0][t], A + t);
  for (int step = 0; step < 16; ++step) {
    if (step < 15)
      copy(&tile[(step + 1) % 2][t], A + 32 * (step + 1) + t);
    else
      asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    C[32 * step + t] = tile[step % 2][t];
  }
}
