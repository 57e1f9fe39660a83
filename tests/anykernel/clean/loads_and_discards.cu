// check: --kernel halve --block 64 --arg 'float[64]=random' --arg 'float[32]'
// Half of the tile is read before anybody wrote there, and thrown away: no mistake, only a note.
__global__ void halve(const float* A, float* C) {
  __shared__ float tile[128];
  const unsigned t = threadIdx.x;
  tile[t] = A[t];
  __syncthreads();
  const float one = tile[2 * t], other = tile[2 * t + 1];
  if (t < 32) C[t] = one + other;
}
