// run:
// prints: 7 0 1 4 9, 8388608 16777216, no room for 1\n
// What one kernel gets from new, others fill, read and delete. The host asks for a larger heap before.
#include <cstdio>

struct Row {
  int *values, count;
};
__device__ Row *rows;
__device__ int lost;

__global__ void make(int n) {
  if (threadIdx.x == 0) rows = new Row[n];
  __syncthreads();
  rows[threadIdx.x] = {static_cast<int *>(malloc(4 * sizeof(int))), 4};
}
__global__ void fill() {
  Row &row = rows[threadIdx.x];
  for (int i = 0; i < row.count; ++i) row.values[i] = i * i * (threadIdx.x == 3 ? 1 : 2);
}
__global__ void look(int *out) { out[threadIdx.x] = rows[3].values[threadIdx.x]; }
__global__ void drop() {
  free(rows[threadIdx.x].values);
  __syncthreads();
  if (threadIdx.x == 0) delete[] rows;
}
__global__ void ask(size_t bytes) {
  void *all = malloc(bytes);
  if (all == nullptr) lost += 1;
  free(all);
}

int main() {
  const int n = 7;
  size_t before = 0, after = 0;
  cudaDeviceGetLimit(&before, cudaLimitMallocHeapSize);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
  cudaDeviceGetLimit(&after, cudaLimitMallocHeapSize);
  int h[4], failed = 0, *d;
  cudaMalloc(&d, sizeof(h));
  for (int round = 0; round < 3; ++round) {
    make<<<1, n>>>(n);
    fill<<<1, n>>>();
    look<<<1, 4>>>(d);
    drop<<<1, n>>>();
  }
  ask<<<1, 1>>>(12 << 20);
  ask<<<1, 1>>>(17 << 20);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&failed, lost, sizeof(int));
  printf("%d %d %d %d %d, %zu %zu, no room for %d\n", n, h[0], h[1], h[2], h[3], before, after, failed);
  cudaFree(d);
}
