// run:
// prints: 40 times: 131072 0\nagain: 131072 1\nin turns: 24 131071\n
#include <cstdio>
#include <vector>

const int n = 1 << 17;

__global__ void add(const int *a, const int *b, int *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

__global__ void grow(int *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] += 1;
}

int main() {
  std::vector<int> up(n), down(n), sum(n);
  for (int i = 0; i < n; ++i) {
    up[i] = i;
    down[i] = n - i;
  }
  const size_t bytes = n * sizeof(int);
  int *a, *b, *c;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMemcpy(a, up.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, down.data(), bytes, cudaMemcpyHostToDevice);

  // The same launch again and again, to measure it.
  for (int i = 0; i < 40; ++i) add<<<n / 256, 256>>>(a, b, c);
  cudaMemcpy(sum.data(), c, bytes, cudaMemcpyDeviceToHost);
  int others = 0;
  for (int one : sum) others += one != n;
  printf("40 times: %d %d\n", sum[0], others);

  // One input has changed in between.
  down[7] = 1;
  cudaMemcpy(b, down.data(), bytes, cudaMemcpyHostToDevice);
  add<<<n / 256, 256>>>(a, b, c);
  cudaMemcpy(sum.data(), c, bytes, cudaMemcpyDeviceToHost);
  others = 0;
  for (int one : sum) others += one != n;
  printf("again: %d %d\n", sum[0], others);

  // A launch that finds other memory each time, and one that finds the same.
  cudaMemset(c, 0, bytes);
  for (int i = 0; i < 24; ++i) grow<<<n / 256, 256>>>(c);
  cudaMemcpy(sum.data(), c, bytes, cudaMemcpyDeviceToHost);
  const int grown = sum[n - 1];
  for (int i = 0; i < 6; ++i) {
    cudaMemcpy(c, up.data(), bytes, cudaMemcpyHostToDevice);
    grow<<<n / 256, 256>>>(c);
  }
  cudaMemcpy(sum.data(), c, bytes, cudaMemcpyDeviceToHost);
  printf("in turns: %d %d\n", grown, sum[n - 2]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return 0;
}
