// run:
// prints: 0 wrong of 12\n
#include <cub/cub.cuh>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct Pair { int key; short place; };
struct ByKey { __host__ __device__ bool operator()(const Pair& a, const Pair& b) const { return a.key < b.key; } };

template <int THREADS, int ITEMS>
__global__ void sorted(Pair* data, int* values, int valid) {
  using Sort = cub::BlockMergeSort<Pair, THREADS, ITEMS, int>;
  __shared__ typename Sort::TempStorage storage;
  Pair mine[ITEMS];
  int value[ITEMS];
  for (int i = 0; i < ITEMS; ++i) mine[i] = data[threadIdx.x * ITEMS + i], value[i] = values[threadIdx.x * ITEMS + i];
  if (valid == THREADS * ITEMS)
    Sort(storage).StableSort(mine, value, ByKey());
  else
    Sort(storage).Sort(mine, value, ByKey(), valid, Pair{1 << 30, 0});
  for (int i = 0; i < ITEMS; ++i) data[threadIdx.x * ITEMS + i] = mine[i], values[threadIdx.x * ITEMS + i] = value[i];
}

int wrong = 0;
template <int THREADS, int ITEMS>
void sorts(int valid) {
  const int n = THREADS * ITEMS;
  std::vector<Pair> host(n), got(n);
  std::vector<int> values(n), moved(n);
  for (int i = 0; i < n; ++i) host[i] = {i * 7919 % 31, static_cast<short>(i)}, values[i] = i;
  Pair* d;
  int* v;
  cudaMalloc(&d, n * sizeof(Pair));
  cudaMalloc(&v, n * sizeof(int));
  cudaMemcpy(d, host.data(), n * sizeof(Pair), cudaMemcpyHostToDevice);
  cudaMemcpy(v, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  sorted<THREADS, ITEMS><<<1, THREADS>>>(d, v, valid);
  cudaMemcpy(got.data(), d, n * sizeof(Pair), cudaMemcpyDeviceToHost);
  cudaMemcpy(moved.data(), v, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::stable_sort(host.begin(), host.begin() + valid, ByKey());
  bool same = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < valid; ++i) same = same && got[i].key == host[i].key && got[i].place == host[i].place && moved[i] == host[i].place;
  for (int i = valid; i < n; ++i) same = same && got[i].key == 1 << 30;
  wrong += !same;
  cudaFree(d);
  cudaFree(v);
}

// Doubles all numbers, and turns each warp's round.
template <cub::WarpLoadAlgorithm LOAD, cub::WarpStoreAlgorithm STORE, int LANES, int ITEMS>
__global__ void moved(const int* in, int* out, int n) {
  using Load = cub::WarpLoad<int, ITEMS, LOAD, LANES>;
  using Store = cub::WarpStore<int, ITEMS, STORE, LANES>;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } storage[64 / LANES];
  const int warp = threadIdx.x / LANES, from = warp * LANES * ITEMS;
  int x[ITEMS];
  Load(storage[warp].load).Load(in + from, x, n - from, 7);
  for (int i = 0; i < ITEMS; ++i) x[i] += LOAD == cub::WARP_LOAD_STRIPED ? i * LANES + threadIdx.x % LANES : threadIdx.x % LANES * ITEMS + i;
  __syncwarp();
  Store(storage[warp].store).Store(out + from, x, n - from);
}

template <cub::WarpLoadAlgorithm LOAD, cub::WarpStoreAlgorithm STORE, int LANES, int ITEMS>
void moves(int n) {
  const int size = 64 * ITEMS;
  std::vector<int> host(size), got(size);
  for (int i = 0; i < size; ++i) host[i] = i * i;
  int *in, *out;
  cudaMalloc(&in, size * sizeof(int));
  cudaMalloc(&out, size * sizeof(int));
  cudaMemcpy(in, host.data(), size * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, size * sizeof(int));
  moved<LOAD, STORE, LANES, ITEMS><<<1, 64>>>(in, out, n);
  cudaMemcpy(got.data(), out, size * sizeof(int), cudaMemcpyDeviceToHost);
  bool same = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < size; ++i) same = same && got[i] == (i < n ? host[i] + i % (LANES * ITEMS) : 0);
  wrong += !same;
  cudaFree(in);
  cudaFree(out);
}

int main() {
  sorts<32, 1>(32);
  sorts<64, 3>(192);
  sorts<16, 2>(32);
  sorts<64, 4>(256);
  sorts<64, 2>(77);
  sorts<128, 1>(1);
  moves<cub::WARP_LOAD_DIRECT, cub::WARP_STORE_DIRECT, 32, 4>(256);
  moves<cub::WARP_LOAD_TRANSPOSE, cub::WARP_STORE_TRANSPOSE, 32, 3>(192);
  moves<cub::WARP_LOAD_TRANSPOSE, cub::WARP_STORE_DIRECT, 8, 5>(200);
  moves<cub::WARP_LOAD_STRIPED, cub::WARP_STORE_STRIPED, 16, 2>(100);
  moves<cub::WARP_LOAD_VECTORIZE, cub::WARP_STORE_VECTORIZE, 32, 4>(201);
  moves<cub::WARP_LOAD_DIRECT, cub::WARP_STORE_TRANSPOSE, 4, 1>(63);
  std::printf("%d wrong of 12\n", wrong);
  return wrong != 0;
}
