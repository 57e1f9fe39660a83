// run:
// prints: 0 wrong of 13 ways\n
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>

const int THREADS = 64, ITEMS = 3, N = THREADS * ITEMS;

__device__ void put(int *&out, const int (&items)[ITEMS]) {
  for (int i = 0; i < ITEMS; ++i) out[threadIdx.x * ITEMS + i] = items[i];
  out += N;
}

__global__ void ways(const int *in, int *out) {
  using Exchange = cub::BlockExchange<int, THREADS, ITEMS>;
  using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_STRIPED>;
  using Vector = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_VECTORIZE>;
  using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_STRIPED>;
  using Turned = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    Exchange::TempStorage exchange;
    Load::TempStorage load;
    Turned::TempStorage turned;
  } storage;
  int x[ITEMS], y[ITEMS], ranks[ITEMS];
  Load(storage.load).Load(in, x, 100, -1);
  put(out, x);  // 0
  Vector().Load(in, x);
  put(out, x);  // 1
  for (int i = 0; i < ITEMS; ++i) ranks[i] = N - 1 - (threadIdx.x * ITEMS + i);
  Exchange(storage.exchange).BlockedToStriped(x, y);
  put(out, y);  // 2
  __syncthreads();
  Exchange(storage.exchange).StripedToBlocked(y);
  put(out, y);  // 3
  __syncthreads();
  Exchange(storage.exchange).BlockedToWarpStriped(y);
  put(out, y);  // 4
  __syncthreads();
  Exchange(storage.exchange).WarpStripedToBlocked(y, y);
  put(out, y);  // 5
  __syncthreads();
  Exchange(storage.exchange).ScatterToBlocked(x, y, ranks);
  put(out, y);  // 6
  __syncthreads();
  Exchange(storage.exchange).ScatterToStriped(y, ranks);
  put(out, y);  // 7
  Store().Store(out, x, 100);  // 8
  out += N;
  __syncthreads();
  Turned(storage.turned).Store(out, x, 150);  // 9
  out += N;
  cub::StoreDirectStriped<THREADS>(threadIdx.x, out, x);  // 10: a store that transposes leaves its items so
  out += N;
  cub::LoadDirectWarpStriped(threadIdx.x, in, y);
  put(out, y);  // 11
  cub::LoadDirectStriped<THREADS>(threadIdx.x, in, y, 50, 7);
  cub::StoreDirectBlocked(threadIdx.x, out, y);  // 12
}

int main() {
  const int n_ways = 13;
  std::vector<int> x(N), got(N * n_ways);
  for (int i = 0; i < N; ++i) x[i] = 1000 + i;
  int *in, *out;
  cudaMalloc(&in, N * sizeof(int));
  cudaMalloc(&out, got.size() * sizeof(int));
  cudaMemcpy(in, x.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, got.size() * sizeof(int));
  ways<<<1, THREADS>>>(in, out);
  cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int way = 0; way < n_ways; ++way) {
    int bad = 0;
    for (int at = 0; at < N; ++at) {
      const int t = at / ITEMS, i = at % ITEMS, striped = i * THREADS + t, of_warp = t / 32 * 32 * ITEMS + i * 32 + t % 32;
      const int turned = at % THREADS * ITEMS + at / THREADS;  // what lies here when threads store their items striped
      int want = 1000 + at;
      if (way == 0) want = striped < 100 ? 1000 + striped : -1;
      if (way == 2) want = 1000 + striped;
      if (way == 4 || way == 11) want = 1000 + of_warp;
      if (way == 6) want = 1000 + N - 1 - at;
      if (way == 7) want = 1000 + striped;
      if (way == 8) want = at < 100 ? 1000 + turned : 0;
      if (way == 9 && at >= 150) want = 0;
      if (way == 12) want = striped < 50 ? 1000 + striped : 7;
      bad += got[way * N + at] != want;
    }
    wrong += bad != 0;
  }
  printf("%d wrong of %d ways\n", wrong, n_ways);
  cudaFree(in);
  cudaFree(out);
}
