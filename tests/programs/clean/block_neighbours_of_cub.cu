// run:
// prints: 0 wrong of 9 results\n
#include <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cstdio>
#include <vector>

const int THREADS = 64, ITEMS = 2, N = THREADS * ITEMS, BINS = 16, RESULTS = 9;

struct Differ {
  __device__ bool operator()(int a, int b) const { return a != b; }
};
// The last place of every ten is a tail.
struct EveryTen {
  __device__ bool operator()(int, int, int b_index) const { return b_index % 10 == 0; }
};
struct Minus {
  __device__ int operator()(int a, int b) const { return a - b; }
};

__device__ void put(int *&out, const int (&items)[ITEMS]) {
  for (int i = 0; i < ITEMS; ++i) out[threadIdx.x * ITEMS + i] = items[i];
  out += N;
}

__global__ void neighbours(const int *in, int *out, unsigned *bins) {
  using Flags = cub::BlockDiscontinuity<int, THREADS>;
  using Difference = cub::BlockAdjacentDifference<int, THREADS>;
  using Shuffle = cub::BlockShuffle<int, THREADS>;
  using Sorting = cub::BlockHistogram<unsigned char, THREADS, ITEMS, BINS>;
  using Atomic = cub::BlockHistogram<unsigned char, THREADS, ITEMS, BINS, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ union {
    Flags::TempStorage flags;
    Difference::TempStorage difference;
    Shuffle::TempStorage shuffle;
    Sorting::TempStorage sorting;
    Atomic::TempStorage atomic;
  } storage;
  __shared__ unsigned counts[BINS];
  int x[ITEMS], y[ITEMS], z[ITEMS];
  unsigned char bytes[ITEMS];
  for (int i = 0; i < ITEMS; ++i) {
    x[i] = in[threadIdx.x * ITEMS + i];
    bytes[i] = static_cast<unsigned char>(x[i]);
  }
  Flags(storage.flags).FlagHeads(y, x, Differ());
  put(out, y);  // 0
  __syncthreads();
  Flags(storage.flags).FlagTails(y, x, EveryTen(), 5);
  put(out, y);  // 1
  __syncthreads();
  Flags(storage.flags).FlagHeadsAndTails(y, x[0], z, x[1], x, Differ());
  put(out, y);  // 2
  __syncthreads();
  Difference(storage.difference).SubtractLeft(x, y, Minus());
  put(out, y);  // 3
  __syncthreads();
  Difference(storage.difference).SubtractRight(x, y, Minus(), 100);
  put(out, y);  // 4
  __syncthreads();
  Shuffle(storage.shuffle).Up(x, y, z[0]);
  if (threadIdx.x == 0) y[0] = z[0];
  put(out, y);  // 5
  __syncthreads();
  Shuffle(storage.shuffle).Offset(x[0], y[0], -3);
  __syncthreads();
  Shuffle(storage.shuffle).Rotate(x[1], y[1], 5);
  if (threadIdx.x < 3) y[0] = 0;
  put(out, y);  // 6
  __syncthreads();
  Sorting(storage.sorting).Histogram(bytes, counts);
  __syncthreads();
  if (threadIdx.x < BINS) bins[threadIdx.x] = counts[threadIdx.x];
  __syncthreads();
  Atomic(storage.atomic).InitHistogram(counts);
  __syncthreads();
  Atomic(storage.atomic).Composite(bytes, counts);
  Atomic(storage.atomic).Composite(bytes, counts);
  __syncthreads();
  if (threadIdx.x < BINS) bins[BINS + threadIdx.x] = counts[threadIdx.x];
}

int main() {
  std::vector<int> x(N), got(N * 7);
  for (int i = 0; i < N; ++i) x[i] = i * i / 7 % BINS;
  int *in, *out;
  unsigned *bins, counts[2 * BINS], wanted[BINS] = {};
  cudaMalloc(&in, N * sizeof(int));
  cudaMalloc(&out, got.size() * sizeof(int));
  cudaMalloc(&bins, sizeof counts);
  cudaMemcpy(in, x.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  neighbours<<<1, THREADS>>>(in, out, bins);
  cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost);
  int bad[RESULTS] = {};
  for (int at = 0; at < N; ++at) {
    const int t = at / ITEMS, i = at % ITEMS;
    const int other = i == 0 ? (t < 3 ? 0 : x[at - 3 * ITEMS]) : x[(t + 5) % THREADS * ITEMS + 1];
    bad[0] += got[at] != (at == 0 || x[at] != x[at - 1]);
    bad[1] += got[N + at] != ((at + 1) % 10 == 0);
    bad[2] += got[2 * N + at] != (at > 0 && x[at] != x[at - 1]);
    bad[3] += got[3 * N + at] != (at > 0 ? x[at] - x[at - 1] : x[at]);
    bad[4] += got[4 * N + at] != x[at] - (at + 1 < N ? x[at + 1] : 100);
    bad[5] += got[5 * N + at] != x[at > 0 ? at - 1 : N - 1];
    bad[6] += got[6 * N + at] != other;
    ++wanted[x[at]];
  }
  for (int bin = 0; bin < BINS; ++bin) {
    bad[7] += counts[bin] != wanted[bin];
    bad[8] += counts[BINS + bin] != 2 * wanted[bin];
  }
  int wrong = 0;
  for (int one : bad) wrong += one != 0;
  printf("%d wrong of %d results\n", wrong, RESULTS);
  cudaFree(in);
  cudaFree(out);
  cudaFree(bins);
}
