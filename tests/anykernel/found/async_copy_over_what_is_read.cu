// race of tile in line 5: --kernel over --block 64 --arg 'float[256]=iota' --arg 'float[256]'
// The barrier behind the reads is missing: the next copy begins while another warp still reads the tile.
__device__ void copy(float* to, const float* from) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
}

__global__ void over(const float* A, float* C) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    copy(&tile[t], A + 64 * step + t);
    __syncthreads();
    C[64 * step + t] = tile[63 - t];
  }
}
