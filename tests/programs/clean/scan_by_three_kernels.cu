// run:
// prints: 3000 prefix sums, last 4498500, right\n
// Prefix sums of any length: blocks, then the sums of blocks by the same function, then their addition.
#include <cstdio>
#include <vector>

const int BLOCK = 64;

__global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
  __shared__ int s[2][BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  int now = 0;
  s[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    s[1 - now][threadIdx.x] = s[now][threadIdx.x] + (threadIdx.x >= step ? s[now][threadIdx.x - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) out[i] = s[now][threadIdx.x];
  if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = s[now][threadIdx.x];
}

__global__ void add_sums(int *out, const int *sums, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void scan(const int *in, int *out, int n) {
  const int blocks = (n + BLOCK - 1) / BLOCK;
  int *sums, *scanned;
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMalloc(&scanned, blocks * sizeof(int));
  scan_blocks<<<blocks, BLOCK>>>(in, out, sums, n);
  if (blocks > 1) {
    scan(sums, scanned, blocks);
    add_sums<<<blocks, BLOCK>>>(out, scanned, n);
  }
  cudaFree(sums);
  cudaFree(scanned);
}

int main() {
  const int n = 3000;
  std::vector<int> numbers(n), sums(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan(in, out, n);
  cudaMemcpy(sums.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0, sum = 0; i < n; ++i) right = right && sums[i] == (sum += numbers[i]);
  printf("%d prefix sums, last %d, %s\n", n, sums[n - 1], right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
}
