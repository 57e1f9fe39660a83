// canary: out-of-bounds in lines 26 27 28 29 30
// Reads that start from what a compiler takes for read-only memory, and lead anywhere.
#include <tilelab/device.cuh>

extern const float later[];
struct Tables {
  static const float member[];
};
struct Numbers {
  int used;
  float at[];
};
static __device__ const Numbers flexible = {1};
__constant__ float coefficients[4] = {1, 2, 3, 4};
namespace hidden {
extern const float table[1l << 45];
}
extern "C" {
__device__ float _ZN6hidden5tableE[4];
}

__global__ void canary(float* out, const float* in, int n) {
  const float* away = in + 4096;
  float sum = 0;
  const int t = threadIdx.x;
  if (t == 0) sum = later[away - later];
  if (t == 1) sum = Tables::member[away - Tables::member];
  if (t == 2) sum = flexible.at[away - flexible.at];
  if (t == 3) sum = coefficients[n];
  if (t == 4) const_cast<float&>(hidden::table[away - hidden::table]) = 1;
  out[threadIdx.x] = sum;
}

__device__ const float later[4] = {1, 2, 3, 4};
__device__ const float Tables::member[4] = {1, 2, 3, 4};
