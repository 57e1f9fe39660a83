// run:
// prints: 0 wrong of 16 sums, 0 wrong of 6 products of maps, largest 99 at 37\n
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>

// x -> a * x + b. Maps that follow each other do not commute.
struct Map {
  unsigned a, b;
};
struct Then {
  __host__ __device__ Map operator()(Map first, Map second) const { return {first.a * second.a, second.a * first.b + second.b}; }
};

template <cub::BlockReduceAlgorithm ALGORITHM, int X, int Y, int ITEMS>
__global__ void sums(const int *in, int *out, int valid) {
  using Reduce = cub::BlockReduce<int, X, ALGORITHM, Y>;
  __shared__ typename Reduce::TempStorage storage[2];
  int thread = threadIdx.y * X + threadIdx.x, items[ITEMS];
  for (int i = 0; i < ITEMS; ++i) items[i] = in[thread * ITEMS + i];
  int all = Reduce(storage[0]).Sum(items);
  int some = Reduce(storage[1]).Sum(items[0], valid);
  if (thread == 0) {
    out[0] = all;
    out[1] = some;
  }
}

template <cub::BlockReduceAlgorithm ALGORITHM, int X>
__global__ void composed(const Map *in, Map *out) {
  using Reduce = cub::BlockReduce<Map, X, ALGORITHM>;
  __shared__ typename Reduce::TempStorage storage;
  Map all = Reduce(storage).Reduce(in[threadIdx.x], Then());
  if (threadIdx.x == 0) *out = all;
}

__global__ void place_of_largest(const int *in, int *out) {
  using Pair = cub::KeyValuePair<int, int>;
  Pair largest = cub::BlockReduce<Pair, 128>().Reduce({(int)threadIdx.x, in[threadIdx.x]}, cub::ArgMax());
  if (threadIdx.x == 0) {
    out[0] = largest.key;
    out[1] = largest.value;
  }
}

int wrong = 0, wrong_maps = 0;

template <cub::BlockReduceAlgorithm ALGORITHM, int X, int Y, int ITEMS>
void check_sums(const int *device, const std::vector<int> &host, int *out, int valid) {
  sums<ALGORITHM, X, Y, ITEMS><<<1, dim3(X, Y)>>>(device, out, valid);
  int got[2], all = 0, some = 0;
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < X * Y * ITEMS; ++i) all += host[i];
  for (int i = 0; i < valid; ++i) some += host[i * ITEMS];
  wrong += (got[0] != all) + (got[1] != some);
}

template <cub::BlockReduceAlgorithm ALGORITHM, int X>
void check_maps(const Map *device, const std::vector<Map> &host, Map *out) {
  composed<ALGORITHM, X><<<1, X>>>(device, out);
  Map got, all = host[0];
  cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 1; i < X; ++i) all = Then()(all, host[i]);
  wrong_maps += got.a != all.a || got.b != all.b;
}

int main() {
  const int n = 1024;
  std::vector<int> numbers(n);
  std::vector<Map> maps(n);
  for (int i = 0; i < n; ++i) {
    numbers[i] = i * 37 % 100 - (i > 99);
    maps[i] = {2u * i + 1u, 7u * i + 3u};
  }
  numbers[37] = 99;
  numbers[27] = 0;
  int *in, *out;
  Map *map_in, *map_out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMalloc(&map_in, n * sizeof(Map));
  cudaMalloc(&map_out, sizeof(Map));
  cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(map_in, maps.data(), n * sizeof(Map), cudaMemcpyHostToDevice);
  check_sums<cub::BLOCK_REDUCE_WARP_REDUCTIONS, 128, 1, 4>(in, numbers, out, 77);
  check_sums<cub::BLOCK_REDUCE_WARP_REDUCTIONS, 16, 7, 1>(in, numbers, out, 1);
  check_sums<cub::BLOCK_REDUCE_WARP_REDUCTIONS, 20, 1, 2>(in, numbers, out, 19);
  check_sums<cub::BLOCK_REDUCE_RAKING, 128, 1, 1>(in, numbers, out, 100);
  check_sums<cub::BLOCK_REDUCE_RAKING, 75, 1, 3>(in, numbers, out, 74);
  check_sums<cub::BLOCK_REDUCE_RAKING, 32, 1, 1>(in, numbers, out, 5);
  check_sums<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, 160, 1, 1>(in, numbers, out, 33);
  check_sums<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, 50, 1, 1>(in, numbers, out, 50);
  check_maps<cub::BLOCK_REDUCE_WARP_REDUCTIONS, 256>(map_in, maps, map_out);
  check_maps<cub::BLOCK_REDUCE_WARP_REDUCTIONS, 100>(map_in, maps, map_out);
  check_maps<cub::BLOCK_REDUCE_WARP_REDUCTIONS, 13>(map_in, maps, map_out);
  check_maps<cub::BLOCK_REDUCE_RAKING, 256>(map_in, maps, map_out);
  check_maps<cub::BLOCK_REDUCE_RAKING, 100>(map_in, maps, map_out);
  check_maps<cub::BLOCK_REDUCE_RAKING, 32>(map_in, maps, map_out);
  place_of_largest<<<1, 128>>>(in, out);
  int place[2];
  cudaMemcpy(place, out, sizeof place, cudaMemcpyDeviceToHost);
  printf("%d wrong of 16 sums, %d wrong of 6 products of maps, largest %d at %d\n", wrong, wrong_maps, place[1], place[0]);
  cudaFree(in);
  cudaFree(out);
  cudaFree(map_in);
  cudaFree(map_out);
}
