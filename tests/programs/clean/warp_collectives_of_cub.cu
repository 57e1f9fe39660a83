// run:
// prints: 0 wrong of 128 lanes\n
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cstdio>
#include <vector>

const int RESULTS = 9;

struct Larger {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

// Each logical warp of 8 threads, and those of 32, have their own storage.
__global__ void collect(const int *in, int *out) {
  using Reduce = cub::WarpReduce<int, 8>;
  using Whole = cub::WarpReduce<float>;
  using Scan = cub::WarpScan<int, 8>;
  __shared__ Reduce::TempStorage reduces[16];
  __shared__ Whole::TempStorage wholes[4];
  __shared__ Scan::TempStorage scans[16];
  const int t = threadIdx.x, group = t / 8, x = in[t];
  int r[RESULTS] = {};
  r[0] = Reduce(reduces[group]).Sum(x);
  r[1] = Reduce(reduces[group]).Reduce(x, Larger(), 5);
  r[2] = Reduce(reduces[group]).HeadSegmentedSum(x, t % 8 == 0 || t % 8 == 3);
  r[3] = Reduce(reduces[group]).TailSegmentedReduce(x, t % 8 == 6, Larger());
  r[4] = static_cast<int>(4 * Whole(wholes[t / 32]).Sum(x + 0.25f, 31));
  Scan(scans[group]).InclusiveSum(x, r[5]);
  Scan(scans[group]).ExclusiveSum(x, r[6], r[7]);
  Scan(scans[group]).ExclusiveScan(x, r[8], -3, Larger());
  for (int i = 0; i < RESULTS; ++i) out[t * RESULTS + i] = r[i];
}

int main() {
  std::vector<int> x(128), got(128 * RESULTS);
  for (int i = 0; i < 128; ++i) x[i] = i * 29 % 64 - 9;
  int *in, *out;
  cudaMalloc(&in, x.size() * sizeof(int));
  cudaMalloc(&out, got.size() * sizeof(int));
  cudaMemcpy(in, x.data(), x.size() * sizeof(int), cudaMemcpyHostToDevice);
  collect<<<1, 128>>>(in, out);
  cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < 128; ++t) {
    const int *r = &got[t * RESULTS], first = t / 8 * 8, lane = t % 8;
    int sum = 0, before = 0, largest = -100, behind = -3;
    float whole = 0;
    for (int i = 0; i < 8; ++i) {
      sum += x[first + i];
      if (i < 5 && x[first + i] > largest) largest = x[first + i];
      if (i < lane) {
        before += x[first + i];
        if (x[first + i] > behind) behind = x[first + i];
      }
    }
    for (int i = 0; i < 31; ++i) whole += x[t / 32 * 32 + i] + 0.25f;
    int head = 0, tail = -100;
    for (int i = lane; i < (lane < 3 ? 3 : 8); ++i) head += x[first + i];
    for (int i = lane; i < (lane < 7 ? 7 : 8); ++i)
      if (x[first + i] > tail) tail = x[first + i];
    bool bad = r[5] != before + x[t] || r[6] != before || r[7] != sum || r[8] != behind;
    if (lane == 0) bad |= r[0] != sum || r[1] != largest;
    if (lane == 0 || lane == 3) bad |= r[2] != head;
    if (lane == 0 || lane == 7) bad |= r[3] != tail;
    if (t % 32 == 0) bad |= r[4] != static_cast<int>(4 * whole);
    wrong += bad;
  }
  printf("%d wrong of 128 lanes\n", wrong);
  cudaFree(in);
  cudaFree(out);
}
