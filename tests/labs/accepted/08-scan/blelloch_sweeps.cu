// Blelloch's tree: up and down over twice as many numbers as threads, with an element of padding after each 32. It scans exclusively, and
// each thread adds its own numbers. The blocks' sums go through the same function.
#include <cuda_runtime.h>

#define THREADS 256
#define ELEMENTS (2 * THREADS)
#define PAD(i) ((i) + ((i) >> 5))

__global__ void sweep(const int* in, int* out, int* sums, int n) {
  __shared__ int tree[PAD(ELEMENTS)];
  const int t = threadIdx.x, first = blockIdx.x * ELEMENTS;
  const int low = first + t, high = first + t + THREADS;
  const int a = low < n ? in[low] : 0, b = high < n ? in[high] : 0;
  tree[PAD(t)] = a;
  tree[PAD(t + THREADS)] = b;

  int stride = 1;
  for (int active = THREADS; active > 0; active >>= 1) {
    __syncthreads();
    if (t < active) tree[PAD(stride * (2 * t + 2) - 1)] += tree[PAD(stride * (2 * t + 1) - 1)];
    stride *= 2;
  }
  __syncthreads();
  if (t == 0) {
    sums[blockIdx.x] = tree[PAD(ELEMENTS - 1)];
    tree[PAD(ELEMENTS - 1)] = 0;
  }
  for (int active = 1; active <= THREADS; active *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < active) {
      const int left = PAD(stride * (2 * t + 1) - 1), right = PAD(stride * (2 * t + 2) - 1);
      const int kept = tree[left];
      tree[left] = tree[right];
      tree[right] += kept;
    }
  }
  __syncthreads();
  if (low < n) out[low] = tree[PAD(t)] + a;
  if (high < n) out[high] = tree[PAD(t + THREADS)] + b;
}

__global__ void add_before(int* out, const int* sums, int n) {
  const int first = (blockIdx.x + 1) * ELEMENTS;  // block 0 has nothing before it
  const int before = sums[blockIdx.x];
  for (int i = threadIdx.x; i < ELEMENTS; i += THREADS)
    if (first + i < n) out[first + i] += before;
}

static void scan_level(const int* in, int* out, int n) {
  const int blocks = (n + ELEMENTS - 1) / ELEMENTS;
  int *sums, *scanned;
  cudaMalloc(&sums, sizeof(int) * blocks);
  cudaMalloc(&scanned, sizeof(int) * blocks);
  sweep<<<blocks, THREADS>>>(in, out, sums, n);
  if (blocks > 1) {
    scan_level(sums, scanned, blocks);
    add_before<<<blocks - 1, THREADS>>>(out, scanned, n);
  }
  cudaFree(sums);
  cudaFree(scanned);
}

extern "C" void scan(const int* in, int* out, int n) { scan_level(in, out, n); }
