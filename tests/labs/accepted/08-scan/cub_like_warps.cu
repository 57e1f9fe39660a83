// int4 loads where they fit, warps that scan by __shfl_up_sync, managed memory for the sums, and a program of its own at the end.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static const int WARPS = 4;

__device__ __forceinline__ int warp_inclusive(int v, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    int up = __shfl_up_sync(0xFFFFFFFFu, v, d);
    v += lane >= d ? up : 0;
  }
  return v;
}

__global__ void scan_warps(const int* in, int* out, int* sums, int n) {
  const int lane = threadIdx.x % 32, warp = blockIdx.x * WARPS + threadIdx.x / 32;
  const int first = warp * 128 + lane * 4;
  int4 v = make_int4(0, 0, 0, 0);
  if (first + 3 < n) {
    v = *reinterpret_cast<const int4*>(in + first);
  } else {
    if (first < n) v.x = in[first];
    if (first + 1 < n) v.y = in[first + 1];
    if (first + 2 < n) v.z = in[first + 2];
  }
  v.y += v.x, v.z += v.y, v.w += v.z;
  const int up_to_here = warp_inclusive(v.w, lane), before = up_to_here - v.w;
  if (first < n) out[first] = before + v.x;
  if (first + 1 < n) out[first + 1] = before + v.y;
  if (first + 2 < n) out[first + 2] = before + v.z;
  if (first + 3 < n) out[first + 3] = before + v.w;
  if (lane == 31) sums[warp] = up_to_here;
}

__global__ void add(int* out, const int* sums, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (i >= 128) out[i] += sums[i / 128 - 1];
}

void scan(const int* in, int* out, int n) {
  const int blocks = (n + WARPS * 128 - 1) / (WARPS * 128);
  int *sums, *scanned;
  cudaMallocManaged(&sums, blocks * WARPS * sizeof(int));
  cudaMallocManaged(&scanned, blocks * WARPS * sizeof(int));
  scan_warps<<<blocks, 32 * WARPS>>>(in, out, sums, n);
  if (n > 128) {
    scan(sums, scanned, (n + 127) / 128);
    add<<<(n + 1023) / 1024, 256>>>(out, scanned, n);
  }
  cudaDeviceSynchronize();
  cudaFree(sums);
  cudaFree(scanned);
}

int main() {
  std::vector<int> h(1000, 1);
  int *in, *out;
  cudaMalloc(&in, 4000);
  cudaMalloc(&out, 4000);
  cudaMemcpy(in, h.data(), 4000, cudaMemcpyHostToDevice);
  scan(in, out, 1000);
  cudaMemcpy(h.data(), out, 4000, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[999]);
  cudaFree(in);
  cudaFree(out);
}
