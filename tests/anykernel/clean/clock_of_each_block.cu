// check: --kernel timed --grid 4 --block 64 --shared 512 --arg 'float[512]=random' --arg 'float[4]' --arg 'long[8]'
// As NVIDIA's clock sample: each block notes when it began and when it ended. A thread waits for a number of cycles.
#include <cassert>

__global__ void timed(const float* input, float* output, long* timer) {
  extern __shared__ float shared[];
  const int t = threadIdx.x, b = blockIdx.x;
  if (t == 0) timer[b] = clock();
  shared[t] = input[t];
  shared[t + blockDim.x] = input[t + blockDim.x];
  for (int half = blockDim.x; half > 0; half /= 2) {
    __syncthreads();
    if (t < half && shared[t + half] < shared[t]) shared[t] = shared[t + half];
  }
  if (t == 0) output[b] = shared[0];
  const long long start = clock64();
  while (clock64() - start < 2'000'000'000) {
  }
  __syncthreads();
  if (t == 0) timer[b + gridDim.x] = clock();
  if (t == 0) assert(timer[b + gridDim.x] > timer[b]);
}
