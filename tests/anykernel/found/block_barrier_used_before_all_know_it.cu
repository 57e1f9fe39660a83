// race of bar in line 8: --kernel sums --grid 2 --block 128 --arg 'float[256]=iota' --arg 'float[256]'
#include <cuda/barrier>

__global__ void sums(const float* in, float* out) {
  __shared__ float tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);

  float sum = 0;
  for (int step = 0; step < 4; ++step) {
    tile[t] = in[blockIdx.x * 128 + t] + step;
    auto token = bar.arrive();
    float own = step * 2.0f;
    bar.wait(std::move(token));
    for (int k = 0; k < 128; k += 16) sum += tile[(t + k) % 128] + own + tile[k];
    bar.arrive_and_wait();
  }
  out[blockIdx.x * 128 + t] = sum;
}
