// Computes the numbers that the questions of the labs ask for, each by a run of what its question describes. `tilelab run` runs it; a
// test compares what it prints, `lab/question/label = number`, with solutions/<lab>/numbers.toml. It is no example of good kernels.

#include <cstdio>

struct Counts {
  int n[8];
};

static int* device_counts;

static Counts read_counts() {
  Counts found;
  cudaMemcpy(&found, device_counts, sizeof found, cudaMemcpyDeviceToHost);
  cudaMemset(device_counts, 0, sizeof found);
  return found;
}

static void say(const char* place, double number) {
  std::printf("%s = %.17g\n", place, number);
}

static int blocks_for(int n, int size) {
  return (n + size - 1) / size;
}

// Lab 00: the largest number, the block of one number, blocks, threads without a number.
__global__ void numbered(int n, int wanted, int* counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(&counts[0], i);
  if (i == wanted) counts[1] = blockIdx.x;
  if (threadIdx.x == 0) atomicAdd(&counts[2], 1);
  if (i >= n) atomicAdd(&counts[3], 1);
}

static Counts number(int n, int wanted) {
  numbered<<<blocks_for(n, 256), 256>>>(n, wanted, device_counts);
  return read_counts();
}

// Lab 01: where thread (1,0) of block (0,0) reads; which elements a warp reads for one k; a grid over C.
__global__ void places(int N, int K, int k, int* counts) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 1 && threadIdx.y == 0) {
    counts[0] = row * K + k;
    counts[1] = k * N + column;
  }
}

__global__ void marked(int N, int K, int k, int* a, int* b, int* counts) {
  int lane = threadIdx.y * blockDim.x + threadIdx.x;
  if (lane >= 32) return;
  if (atomicExch(&a[threadIdx.y * K + k], 1) == 0) atomicAdd(&counts[0], 1);
  if (atomicExch(&b[k * N + threadIdx.x], 1) == 0) atomicAdd(&counts[1], 1);
}

__global__ void over_c(int M, int N, int* counts) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(&counts[0], 1);
  atomicAdd(&counts[1], 1);
  atomicAdd(&counts[row < M && column < N ? 3 : 2], 1);
}

// Lab 02: the worked example, with the order that a forgotten barrier 2 allows put in place by barriers of its own.
__global__ void other_order(const float* A, const float* B, float* seen) {
  __shared__ float As[4][4], Bs[4][4];
  int x = threadIdx.x, y = threadIdx.y;
  As[y][x] = A[y * 8 + x];
  Bs[y][x] = B[y * 8 + x];
  __syncthreads();
  if (x == 0 && y == 0) {
    As[0][0] = A[4];
    Bs[0][0] = B[4 * 8];
  }
  __syncthreads();
  if (x == 1 && y == 0) {
    seen[0] = As[0][0];
    for (int k = 0; k < 4; ++k) seen[1] += As[0][k] * Bs[k][1];
  }
}

__global__ void arriving(int K, int tile, int* counts) {
  int arrivals = 0;
  for (int start = 0; start < K; start += tile) {
    __syncthreads();
    ++arrivals;
    __syncthreads();
    ++arrivals;
  }
  atomicMax(&counts[0], arrivals);
}

__global__ void loading_a00(int K, int* counts) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int start = 0; start < K; start += blockDim.x)
    if (row * K + start + threadIdx.x == 0) atomicAdd(&counts[0], 1);
}

// Lab 03: places of a tile of A that are filled; phases and elements.
__global__ void filling(int M, int N, int K, int phase, int* counts) {
  const int tile = 16;
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  bool exists = row < M && phase * tile + threadIdx.x < K;
  if (!exists && blockIdx.x == blockIdx.y) atomicAdd(&counts[blockIdx.x], 1);
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(&counts[2], 1);
  int phases = 0;
  for (int start = 0; start < K; start += tile) ++phases;
  atomicMax(&counts[3], phases);
  if (row < M && column < N) atomicAdd(&counts[4], 1);
}

// Lab 04: one phase of a block that computes 64 by 64 elements, 4 by 4 of each thread, 16 along K.
__global__ void register_tile(int* counts) {
  __shared__ float As[64][16], Bs[16][64];
  int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y, loads = 0, operations = 0;
  for (int i = thread; i < 64 * 16; i += threads, ++loads) As[i / 16][i % 16] = 1;
  for (int i = thread; i < 16 * 64; i += threads, ++loads) Bs[i / 64][i % 64] = 1;
  __syncthreads();
  float sums[4][4] = {};
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j, operations += 2) sums[i][j] += As[threadIdx.y * 4 + i][k] * Bs[k][threadIdx.x * 4 + j];
  if (sums[3][3] != 16) return;
  atomicAdd(&counts[0], 1);
  atomicMax(&counts[1], loads);
  atomicAdd(&counts[2], loads * static_cast<int>(sizeof(float)));
  atomicAdd(&counts[3], operations);
  atomicMax(&counts[4], static_cast<int>(sizeof As + sizeof Bs));
}

// Lab 06: a tree over n numbers in 256 places, and shuffles.
__global__ void tree(int n, int* counts) {
  __shared__ int places[256];
  int t = threadIdx.x;
  places[t] = t < n ? 1 : 0;
  if (t >= n) atomicAdd(&counts[0], 1);
  int step = 1;
  for (int half = 128; half > 0; half /= 2, ++step) {
    __syncthreads();
    if (t < half) {
      places[t] += places[t + half];
      atomicAdd(&counts[1], 1);
      if (step == 4) atomicAdd(&counts[2], 1);
    }
  }
  if (t == 0) counts[3] = places[0];
}

__global__ void shuffled(int* counts) {
  int value = threadIdx.x;
  value += __shfl_down_sync(0xffffffffu, value, 16);
  if (threadIdx.x == 3) counts[0] = value;
  value += __shfl_down_sync(0xffffffffu, value, 8);
  if (threadIdx.x == 3) counts[1] = value;
}

// Lab 07: bins in strides of the block; additions to global bins.
__global__ void clearing(int bins, int* counts) {
  int cleared = 0;
  for (int i = threadIdx.x; i < bins; i += blockDim.x) ++cleared;
  if (threadIdx.x == 0) counts[0] = cleared;
  if (threadIdx.x == 255) counts[1] = cleared;
}

__global__ void counting(int n, int bins, bool own, int* global_bins, int* counts) {
  __shared__ int own_bins[8];
  if (threadIdx.x < bins) own_bins[threadIdx.x] = 0;
  __syncthreads();
  int made = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (own) {
      atomicAdd(&own_bins[i % bins], 1);
    } else {
      atomicAdd(&global_bins[i % bins], 1);
      ++made;
    }
  }
  __syncthreads();
  if (own && threadIdx.x < bins) {
    atomicAdd(&global_bins[threadIdx.x], own_bins[threadIdx.x]);
    ++made;
  }
  if (made > 0) atomicAdd(&counts[0], made);
}

// Lab 08: the first steps of a scan; `torn`: place 2 is written before place 3 reads it, as a missing barrier allows.
__global__ void scan_steps(bool torn, int* counts) {
  __shared__ int places[8];
  const int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  int t = threadIdx.x;
  places[t] = numbers[t];
  __syncthreads();
  for (int distance = 1, step = 0; distance <= 2; distance *= 2, ++step) {
    int other = t >= distance ? places[t - distance] : 0;
    __syncthreads();
    if (torn && t == 2) places[t] += other;
    __syncthreads();
    if (torn && t == 3) other = places[t - distance];
    __syncthreads();
    if (!torn || t != 2) places[t] += other;
    __syncthreads();
    if (t == 3) counts[step] = places[3];
  }
}

static int blocks_of_level(int n, int level) {
  int blocks = n;
  for (int i = 0; i <= level; ++i) blocks = blocks_for(blocks, 256);
  return blocks;
}

static int largest_with_one_block(int level) {
  int n = 1;
  while (blocks_of_level(n + 1, level) == 1) ++n;
  return n;
}

// Lab 09: a mask over ones; the pixels of a tile with its halo.
__global__ void mask_of_ones(float* out) {
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < 5 && y + dy >= 0 && y + dy < 5) sum += 1.0f;
  out[y * 5 + x] = sum;
}

__global__ void halo(int mask, int* counts) {
  int side = blockDim.x + mask - 1, loads = 0;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < side * side; i += blockDim.x * blockDim.y) ++loads;
  atomicMax(&counts[0], loads);
  atomicAdd(&counts[1], loads);
  atomicAdd(&counts[2], 1);
}

// Lab 10: the largest result of a row of three.
__global__ void softmax_of_three(float first, float* out) {
  float row[3] = {first, first + 1, first + 2}, sum = 0;
  for (float one : row) sum += expf(one - row[2]);
  out[0] = 1 / sum;
}

static void labs_00_to_03() {
  Counts found = number(1000, 700);
  say("00-first-program/thread-numbers/largest number", found.n[0]);
  say("00-first-program/thread-numbers/block of thread 700", found.n[1]);
  say("00-first-program/blocks-and-idle-threads/blocks for 256", number(256, -1).n[2]);
  found = number(257, -1);
  say("00-first-program/blocks-and-idle-threads/blocks for 257", found.n[2]);
  say("00-first-program/blocks-and-idle-threads/idle threads for 257", found.n[3]);
  say("00-first-program/blocks-and-idle-threads/blocks for 1", number(1, -1).n[2]);

  places<<<dim3(1, 1), dim3(8, 8)>>>(8, 8, 2, device_counts);
  found = read_counts();
  say("01-naive/places-in-memory/place in A", found.n[0]);
  say("01-naive/places-in-memory/place in B", found.n[1]);
  int *a, *b;
  cudaMalloc(&a, 64 * 64 * sizeof(int));
  cudaMalloc(&b, 64 * 64 * sizeof(int));
  cudaMemset(a, 0, 64 * 64 * sizeof(int));
  cudaMemset(b, 0, 64 * 64 * sizeof(int));
  marked<<<1, dim3(16, 16)>>>(64, 64, 0, a, b, device_counts);
  found = read_counts();
  say("01-naive/sectors-of-a-warp/elements of A", found.n[0]);
  say("01-naive/sectors-of-a-warp/elements of B", found.n[1]);
  cudaFree(a);
  cudaFree(b);
  over_c<<<dim3(blocks_for(70, 16), blocks_for(100, 16)), dim3(16, 16)>>>(100, 70, device_counts);
  found = read_counts();
  say("01-naive/grid/blocks", found.n[0]);
  say("01-naive/grid/threads", found.n[1]);
  say("01-naive/grid/threads without an element", found.n[2]);

  float A[64], B[64], seen[2] = {0, 0}, *device_a, *device_b, *device_seen;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) A[i * 8 + j] = B[j * 8 + i] = 4 * i + j % 4 + 1 + 16 * (j / 4);
  cudaMalloc(&device_a, sizeof A);
  cudaMalloc(&device_b, sizeof B);
  cudaMalloc(&device_seen, sizeof seen);
  cudaMemcpy(device_a, A, sizeof A, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, B, sizeof B, cudaMemcpyHostToDevice);
  cudaMemcpy(device_seen, seen, sizeof seen, cudaMemcpyHostToDevice);
  other_order<<<1, dim3(4, 4)>>>(device_a, device_b, device_seen);
  cudaMemcpy(seen, device_seen, sizeof seen, cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_seen);
  say("02-tiled/other-order/As[0][0]", seen[0]);
  say("02-tiled/other-order/sum of thread (1,0)", seen[1]);
  arriving<<<1, dim3(16, 16)>>>(1024, 16, device_counts);
  say("02-tiled/barriers/arrivals", read_counts().n[0]);
  loading_a00<<<dim3(2, 2), dim3(4, 4)>>>(8, device_counts);
  say("02-tiled/shared-by-blocks/blocks", read_counts().n[0]);

  filling<<<dim3(2, 2), dim3(16, 16)>>>(20, 20, 20, 1, device_counts);
  found = read_counts();
  say("03-boundary/filled-places/zeros of block (0,0)", found.n[0]);
  say("03-boundary/filled-places/zeros of block (1,1)", found.n[1]);
  filling<<<dim3(blocks_for(17, 16), blocks_for(17, 16)), dim3(16, 16)>>>(17, 17, 17, 0, device_counts);
  found = read_counts();
  say("03-boundary/grid-of-17/blocks", found.n[2]);
  say("03-boundary/grid-of-17/phases", found.n[3]);
  say("03-boundary/grid-of-17/threads with an element", found.n[4]);
}

static void labs_04_to_07() {
  register_tile<<<1, dim3(64 / 4, 64 / 4)>>>(device_counts);
  Counts found = read_counts();
  say("04-open/register-tile/threads", found.n[0]);
  say("04-open/sectors-for-a-product/floats of one thread", found.n[1]);
  say("04-open/register-tile/operations for each byte", static_cast<double>(found.n[3]) / found.n[2]);
  say("04-open/register-tile/shared memory", found.n[4]);

  tree<<<1, 256>>>(40, device_counts);
  say("06-reduction/places-without-a-number/places with 0", read_counts().n[0]);
  tree<<<1, 256>>>(256, device_counts);
  found = read_counts();
  say("06-reduction/additions/additions", found.n[3] == 256 ? found.n[1] : -1);
  say("06-reduction/additions/threads in the fourth step", found.n[2]);
  shuffled<<<1, 32>>>(device_counts);
  found = read_counts();
  say("06-reduction/lane-after-shuffles/after the first", found.n[0]);
  say("06-reduction/lane-after-shuffles/after the second", found.n[1]);

  clearing<<<1, 256>>>(1000, device_counts);
  found = read_counts();
  say("07-histogram/bins-of-a-thread/bins of thread 0", found.n[0]);
  say("07-histogram/bins-of-a-thread/bins of thread 255", found.n[1]);
  int* bins;
  cudaMalloc(&bins, 8 * sizeof(int));
  cudaMemset(bins, 0, 8 * sizeof(int));
  counting<<<40, 256>>>(100000, 8, true, bins, device_counts);
  say("07-histogram/global-additions/with bins of its own", read_counts().n[0]);
  counting<<<40, 256>>>(100000, 8, false, bins, device_counts);
  say("07-histogram/global-additions/without", read_counts().n[0]);
  cudaFree(bins);
}

static void labs_08_to_10() {
  scan_steps<<<1, 8>>>(false, device_counts);
  Counts found = read_counts();
  say("08-scan/place-after-steps/after step 1", found.n[0]);
  say("08-scan/place-after-steps/after step 2", found.n[1]);
  scan_steps<<<1, 8>>>(true, device_counts);
  say("08-scan/place-after-steps/wrong after step 1", read_counts().n[0]);
  say("08-scan/more-blocks/largest n, one block for the sums", largest_with_one_block(1));
  say("08-scan/more-blocks/largest n, one block for their sums", largest_with_one_block(2));

  float *device_out, out[25];
  cudaMalloc(&device_out, sizeof out);
  mask_of_ones<<<1, dim3(5, 5)>>>(device_out);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  say("09-convolution/picture-of-ones/corner", out[0]);
  say("09-convolution/picture-of-ones/middle of a side", out[2]);
  say("09-convolution/picture-of-ones/centre", out[12]);
  halo<<<1, dim3(16, 16)>>>(9, device_counts);
  found = read_counts();
  say("09-convolution/loads-of-a-thread/pixels of a thread", found.n[0]);
  say("09-convolution/loaded-pixels/pixels", found.n[1]);
  say("09-convolution/loaded-pixels/times each", static_cast<double>(found.n[1]) / found.n[2]);

  softmax_of_three<<<1, 1>>>(1, device_out);
  cudaMemcpy(out, device_out, sizeof(float), cudaMemcpyDeviceToHost);
  say("10-softmax/largest-of-three/of 1, 2 and 3", out[0]);
  softmax_of_three<<<1, 1>>>(101, device_out);
  cudaMemcpy(out, device_out, sizeof(float), cudaMemcpyDeviceToHost);
  say("10-softmax/largest-of-three/of 101, 102 and 103", out[0]);
  cudaFree(device_out);
}

int main() {
  cudaMalloc(&device_counts, sizeof(Counts));
  cudaMemset(device_counts, 0, sizeof(Counts));
  labs_00_to_03();
  labs_04_to_07();
  labs_08_to_10();
  cudaFree(device_counts);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
