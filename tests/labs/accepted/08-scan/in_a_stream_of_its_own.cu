// Buffers as objects, memory and launches in the order of a stream, an event at its end. Each thread scans 8 numbers in registers.
#include <cuda_runtime.h>

#include <stdexcept>

namespace {

constexpr int threads = 128, each = 8, part = threads * each;

void expect(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

class Stream {
 public:
  Stream() { expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

template <typename T>
class Buffer {
 public:
  Buffer(std::size_t count, cudaStream_t stream) : stream_(stream) { expect(cudaMallocAsync(&data_, count * sizeof(T), stream)); }
  ~Buffer() { cudaFreeAsync(data_, stream_); }
  Buffer(const Buffer&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
  cudaStream_t stream_;
};

template <typename T>
__global__ void __launch_bounds__(threads) scan_parts(const T* __restrict__ in, T* __restrict__ out, T* __restrict__ sums, int n) {
  __shared__ T numbers[part];
  __shared__ T warps[threads / 32];
  const int first = blockIdx.x * part;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + threadIdx.x;
    numbers[i] = first + i < n ? in[first + i] : T{};
  }
  __syncthreads();
  T mine[each];
#pragma unroll
  for (int k = 0; k < each; ++k) mine[k] = numbers[threadIdx.x * each + k] + (k > 0 ? mine[k - 1] : T{});
  T whole = mine[each - 1];
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(~0u, whole, step);
    if ((threadIdx.x & 31) >= step) whole += other;
  }
  if ((threadIdx.x & 31) == 31) warps[threadIdx.x >> 5] = whole;
  __syncthreads();
  T before = whole - mine[each - 1];
  for (unsigned w = 0; w < threadIdx.x >> 5; ++w) before += warps[w];
#pragma unroll
  for (int k = 0; k < each; ++k) numbers[threadIdx.x * each + k] = before + mine[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + threadIdx.x;
    if (first + i < n) out[first + i] = numbers[i];
  }
  if (threadIdx.x == threads - 1) sums[blockIdx.x] = before + mine[each - 1];
}

__global__ void add_offsets(int* out, const int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int of = i / part;
  if (i < n && of > 0) out[i] += sums[of - 1];
}

}  // namespace

void scan(const int* in, int* out, int n) {
  const Stream stream;
  const int parts = (n + part - 1) / part;
  Buffer<int> sums(parts, stream), scanned(parts, stream), total(1, stream);
  scan_parts<int><<<parts, threads, 0, stream>>>(in, out, sums.get(), n);
  expect(cudaGetLastError());
  scan_parts<int><<<1, threads, 0, stream>>>(sums.get(), scanned.get(), total.get(), parts);
  expect(cudaGetLastError());
  add_offsets<<<(n + 255) / 256, 256, 0, stream>>>(out, scanned.get(), n);
  expect(cudaGetLastError());
  cudaEvent_t done;
  expect(cudaEventCreate(&done));
  expect(cudaEventRecord(done, stream));
  expect(cudaEventSynchronize(done));
  expect(cudaEventDestroy(done));
}
