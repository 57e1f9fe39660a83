// leak in line 18:
// says: scratch
#include <cstdio>

__global__ void twice(const float *in, float *scratch, float *out) {
  const int i = threadIdx.x;
  scratch[i] = in[i];
  out[i] = 2 * scratch[i];
}

int main() {
  const int n = 256;
  float numbers[n] = {}, *in, *out, *scratch;
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, sizeof numbers);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  for (int round = 0; round < 3; ++round) {
    cudaMalloc(&scratch, sizeof numbers);
    twice<<<1, n>>>(in, scratch, out);
    cudaDeviceSynchronize();
  }
  cudaFree(scratch);
  cudaFree(in);
  cudaFree(out);
}
