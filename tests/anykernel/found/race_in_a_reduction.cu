// race in line 10: --kernel sum --block 128 --arg 'float[128]=random' --arg 'float[1]'
#include <cstdio>

__global__ void sum(const float* A, float* total) {
  __shared__ float partial[128];
  const unsigned t = threadIdx.x;
  partial[t] = A[t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2)
    if (t < half) partial[t] += partial[t + half];
  if (t == 0) *total = partial[0];
}

int main() {
  sum<<<1, 128>>>(nullptr, nullptr);
  return std::puts("done");
}
