// check: --kernel saxpy --grid 2 --block 64 --arg 'const half2[150]=random' --arg 'half2[150]=random' --arg half=0.5 --arg int=150
#include <cuda_fp16.h>

__global__ void saxpy(const half2* x, half2* y, half a, int pairs) {
  const half2 factor = __half2half2(a);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
    const half2 before = y[i], after = __hfma2(factor, x[i], before);
    const float exact = __half2float(a) * __low2float(x[i]) + __low2float(before);
    assert(fabsf(exact - __low2float(after)) <= fabsf(exact) / 1024 + 1e-6f);
    y[i] = after;
  }
}
