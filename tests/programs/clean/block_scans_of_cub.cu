// run:
// prints: 0 wrong of 8 blocks of sums, 0 wrong of 6 blocks of maps, 0 wrong of a row of tiles\n
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cstdio>
#include <vector>

struct Map {
  unsigned a, b;
};
struct Then {
  __host__ __device__ Map operator()(Map first, Map second) const { return {first.a * second.a, second.a * first.b + second.b}; }
};

// Sums in one part of `out`, those before each item in the next, and their total behind both.
template <cub::BlockScanAlgorithm ALGORITHM, int THREADS, int ITEMS>
__global__ void sums(const int *in, int *out, int valid) {
  using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, THREADS, ALGORITHM>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } storage;
  int items[ITEMS], upto[ITEMS], before[ITEMS], total;
  Load(storage.load).Load(in, items, valid, 0);
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, upto, total);
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(items, before);
  __syncthreads();
  Store(storage.store).Store(out, upto, valid);
  __syncthreads();
  Store(storage.store).Store(out + valid, before, valid);
  if (threadIdx.x == THREADS - 1) out[2 * valid] = total;
}

// One map of each thread, with a map before the first, and all of them without it.
template <cub::BlockScanAlgorithm ALGORITHM, int THREADS>
__global__ void composed(const Map *in, Map *out) {
  using Scan = cub::BlockScan<Map, THREADS, ALGORITHM>;
  __shared__ typename Scan::TempStorage storage;
  Map upto, before, total;
  Scan(storage).InclusiveScan(in[threadIdx.x], upto, Then());
  __syncthreads();
  Scan(storage).ExclusiveScan(in[threadIdx.x], before, Map{5, 9}, Then(), total);
  out[threadIdx.x] = upto;
  out[THREADS + threadIdx.x] = before;
  if (threadIdx.x == 0) out[2 * THREADS] = total;
}

struct SoFar {
  int sum;
  __device__ int operator()(int of_tile) {
    int before = sum;
    sum += of_tile;
    return before;
  }
};

template <cub::BlockScanAlgorithm ALGORITHM>
__global__ void tiles(const int *in, int *out, int n) {
  using Scan = cub::BlockScan<int, 64, ALGORITHM>;
  __shared__ typename Scan::TempStorage storage;
  SoFar so_far{1000};
  for (int tile = 0; tile < n; tile += 64) {
    int value = tile + threadIdx.x < n ? in[tile + threadIdx.x] : 0;
    Scan(storage).ExclusiveSum(value, value, so_far);
    if (tile + threadIdx.x < n) out[tile + threadIdx.x] = value;
    __syncthreads();
  }
}

int wrong = 0, wrong_maps = 0;

template <cub::BlockScanAlgorithm ALGORITHM, int THREADS, int ITEMS>
void check_sums(const int *device, const std::vector<int> &host, int *out, int valid) {
  sums<ALGORITHM, THREADS, ITEMS><<<1, THREADS>>>(device, out, valid);
  std::vector<int> got(2 * valid + 1);
  cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0, bad = 0;
  for (int i = 0; i < valid; ++i) {
    bad += got[valid + i] != sum;
    sum += host[i];
    bad += got[i] != sum;
  }
  wrong += bad != 0 || got[2 * valid] != sum;
}

bool differ(Map a, Map b) { return a.a != b.a || a.b != b.b; }

template <cub::BlockScanAlgorithm ALGORITHM, int THREADS>
void check_maps(const Map *device, const std::vector<Map> &host, Map *out) {
  composed<ALGORITHM, THREADS><<<1, THREADS>>>(device, out);
  std::vector<Map> got(2 * THREADS + 1);
  cudaMemcpy(got.data(), out, got.size() * sizeof(Map), cudaMemcpyDeviceToHost);
  Map upto = {1, 0}, before = {5, 9};
  int bad = 0;
  for (int i = 0; i < THREADS; ++i) {
    bad += differ(got[THREADS + i], before);
    upto = Then()(upto, host[i]);
    before = Then()(before, host[i]);
    bad += differ(got[i], upto);
  }
  wrong_maps += bad != 0 || differ(got[2 * THREADS], upto);
}

int main() {
  const int n = 1000;
  std::vector<int> numbers(n), got(n);
  std::vector<Map> maps(n);
  for (int i = 0; i < n; ++i) {
    numbers[i] = i * 37 % 101 - 30;
    maps[i] = {2u * i + 1u, 7u * i + 3u};
  }
  int *in, *out;
  Map *map_in, *map_out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, (2 * n + 1) * sizeof(int));
  cudaMalloc(&map_in, n * sizeof(Map));
  cudaMalloc(&map_out, (2 * n + 1) * sizeof(Map));
  cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(map_in, maps.data(), n * sizeof(Map), cudaMemcpyHostToDevice);
  check_sums<cub::BLOCK_SCAN_RAKING, 128, 4>(in, numbers, out, 512);
  check_sums<cub::BLOCK_SCAN_RAKING, 32, 3>(in, numbers, out, 90);
  check_sums<cub::BLOCK_SCAN_RAKING, 96, 1>(in, numbers, out, 70);
  check_sums<cub::BLOCK_SCAN_RAKING_MEMOIZE, 160, 2>(in, numbers, out, 319);
  check_sums<cub::BLOCK_SCAN_RAKING_MEMOIZE, 256, 1>(in, numbers, out, 256);
  check_sums<cub::BLOCK_SCAN_WARP_SCANS, 128, 5>(in, numbers, out, 500);
  check_sums<cub::BLOCK_SCAN_WARP_SCANS, 32, 1>(in, numbers, out, 20);
  check_sums<cub::BLOCK_SCAN_WARP_SCANS, 64, 2>(in, numbers, out, 128);
  check_maps<cub::BLOCK_SCAN_RAKING, 128>(map_in, maps, map_out);
  check_maps<cub::BLOCK_SCAN_RAKING, 75>(map_in, maps, map_out);
  check_maps<cub::BLOCK_SCAN_RAKING, 20>(map_in, maps, map_out);
  check_maps<cub::BLOCK_SCAN_RAKING_MEMOIZE, 200>(map_in, maps, map_out);
  check_maps<cub::BLOCK_SCAN_WARP_SCANS, 128>(map_in, maps, map_out);
  check_maps<cub::BLOCK_SCAN_WARP_SCANS, 50>(map_in, maps, map_out);
  int wrong_tiles = 0;
  for (int way = 0; way < 2; ++way) {
    if (way == 0)
      tiles<cub::BLOCK_SCAN_RAKING><<<1, 64>>>(in, out, n);
    else
      tiles<cub::BLOCK_SCAN_WARP_SCANS><<<1, 64>>>(in, out, n);
    cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0, sum = 1000; i < n; sum += numbers[i++]) wrong_tiles += got[i] != sum;
  }
  printf("%d wrong of 8 blocks of sums, %d wrong of 6 blocks of maps, %d wrong of a row of tiles\n", wrong, wrong_maps, wrong_tiles);
  cudaFree(in);
  cudaFree(out);
  cudaFree(map_in);
  cudaFree(map_out);
}
