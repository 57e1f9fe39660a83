// out-of-bounds of parts in line 4: --kernel averages --grid 2 --block 64 --arg 'float[512]=iota' --arg 'float[128]'
// The function runs one element too far, into the array that is declared before or behind.
__device__ void fill(float* to, const float* from, int n) {
  for (int i = 0; i <= n; ++i) to[i] = from[i];
}

__global__ void averages(const float* A, float* C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float weights[4] = {0.1f, 0.2f, 0.3f, 0.4f}, parts[4], others[4] = {};
  fill(parts, A + 3 * t, 4);
  float sum = others[0];
  for (int i = 0; i < 4; ++i) sum += weights[i] * parts[i];
  C[t] = sum;
}
