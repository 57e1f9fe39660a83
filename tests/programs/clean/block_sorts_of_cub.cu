// run:
// prints: 0 wrong of 7 sorts; -inf -3 -0 0 -0 2 inf inf\n
#include <cub/block/block_radix_sort.cuh>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

enum Way { UP, DOWN, UP_STRIPED, DOWN_STRIPED };

template <typename Key, int THREADS, int ITEMS, Way WAY>
__global__ void sorted(Key *keys, int *places, int begin, int end) {
  using Sort = cub::BlockRadixSort<Key, THREADS, ITEMS, int>;
  __shared__ typename Sort::TempStorage storage;
  Key key[ITEMS];
  int place[ITEMS];
  for (int i = 0; i < ITEMS; ++i) {
    key[i] = keys[threadIdx.x * ITEMS + i];
    place[i] = threadIdx.x * ITEMS + i;
  }
  if (WAY == UP) Sort(storage).Sort(key, place, begin, end);
  if (WAY == DOWN) Sort(storage).SortDescending(key, place, begin, end);
  if (WAY == UP_STRIPED) Sort(storage).SortBlockedToStriped(key, place, begin, end);
  if (WAY == DOWN_STRIPED) Sort(storage).SortDescendingBlockedToStriped(key, place, begin, end);
  for (int i = 0; i < ITEMS; ++i) {
    const int at = WAY == UP || WAY == DOWN ? threadIdx.x * ITEMS + i : i * THREADS + threadIdx.x;
    keys[at] = key[i];
    places[at] = place[i];
  }
}

template <int ITEMS>
__global__ void of_floats(float *keys) {
  using Sort = cub::BlockRadixSort<float, 4, ITEMS>;
  __shared__ typename Sort::TempStorage storage;
  float key[ITEMS];
  for (int i = 0; i < ITEMS; ++i) key[i] = keys[threadIdx.x * ITEMS + i];
  Sort(storage).Sort(key);
  for (int i = 0; i < ITEMS; ++i) keys[threadIdx.x * ITEMS + i] = key[i];
}

int wrong = 0;

// Whole keys where `end` is 8 times their size, else their bits from `begin` to `end` alone. Equal keys stay in their order.
template <typename Key, int THREADS, int ITEMS, Way WAY>
void check(int begin = 0, int end = 8 * sizeof(Key)) {
  const int n = THREADS * ITEMS;
  std::vector<Key> host(n), got(n);
  std::vector<int> order(n), places(n);
  unsigned draw = 12345;
  for (Key &one : host) one = static_cast<Key>(((draw = draw * 1664525u + 1013904223u) >> 8) % 301) - (Key(-1) < Key(0) ? 150 : 0);
  auto part = [=](Key key) {
    return end - begin == 8 * sizeof(Key) ? static_cast<double>(key) : static_cast<double>((static_cast<long long>(key) >> begin) & ((1 << (end - begin)) - 1));
  };
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return WAY == UP || WAY == UP_STRIPED ? part(host[a]) < part(host[b]) : part(host[b]) < part(host[a]);
  });
  Key *keys;
  int *out;
  cudaMalloc(&keys, n * sizeof(Key));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(keys, host.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
  sorted<Key, THREADS, ITEMS, WAY><<<1, THREADS>>>(keys, out, begin, end);
  cudaMemcpy(got.data(), keys, n * sizeof(Key), cudaMemcpyDeviceToHost);
  cudaMemcpy(places.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += places[i] != order[i] || got[i] != host[order[i]];
  wrong += bad != 0;
  cudaFree(keys);
  cudaFree(out);
}

int main() {
  check<int, 64, 4, UP>();
  check<int, 96, 3, DOWN>();
  check<unsigned, 128, 2, UP>(3, 7);
  check<unsigned char, 32, 5, DOWN_STRIPED>();
  check<short, 50, 1, UP_STRIPED>();
  check<double, 64, 2, DOWN>();
  check<long long, 64, 2, UP_STRIPED>();
  float keys[] = {INFINITY, -0.0f, 2, 0.0f, -INFINITY, -3, INFINITY, -0.0f}, *device;
  cudaMalloc(&device, sizeof keys);
  cudaMemcpy(device, keys, sizeof keys, cudaMemcpyHostToDevice);
  of_floats<2><<<1, 4>>>(device);
  cudaMemcpy(keys, device, sizeof keys, cudaMemcpyDeviceToHost);
  printf("%d wrong of 7 sorts;", wrong);
  for (float key : keys) printf(" %g", key);
  printf("\n");
  cudaFree(device);
}
