// A program for test_runtime_calls.py: its first argument says what it does. Kernels and launches are written as the grader writes them.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define KERNEL_BODY(...)                                                            \
  {                                                                                 \
    static char tilelab_kernel_mark;                                                \
    ::tilelab_host::launch_kernel(&tilelab_kernel_mark __VA_OPT__(, ) __VA_ARGS__); \
  }
#define WITH(...) ::tilelab_host::configure(__VA_ARGS__)

__device__ int counter = 7;
__constant__ float weights[16];
__managed__ int total = 5;

namespace course {
template <typename T>
__global__ void add(const T* a, T* b, int n) KERNEL_BODY(a, b, n)
}
extern "C" __global__ void plain() KERNEL_BODY() static __global__ void scaled(float* a, double by) KERNEL_BODY(a, by)

    __device__ float on_the_device(float x) {
  extern __shared__ float tile[];
  __syncthreads();
  return tile[threadIdx.x] * x;
}
__host__ __device__ float on_both(float x) { return rsqrtf(x) + max(1, 2) + __half2float(__float2half(x)); }

struct Buffer {
  float* data = nullptr;
  ~Buffer() { (void)cudaFree(data); }
} buffer;  // freed after main()

void copies() {
  const std::vector<float> there(100000, 2.5f);
  std::vector<float> back(there.size());
  const std::size_t bytes = there.size() * sizeof(float);
  float* device = nullptr;
  (void)cudaMalloc(&device, bytes);
  (void)cudaMemcpy(device, there.data(), bytes, cudaMemcpyHostToDevice);
  (void)cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost);
  std::printf("same: %d\n", back == there);
  int grid[3][8] = {}, row[3][2] = {{1, 2}, {3, 4}, {5, 6}};
  int* pitched = nullptr;
  std::size_t pitch = 0;
  (void)cudaMallocPitch(&pitched, &pitch, sizeof row[0], 3);
  (void)cudaMemcpy2D(pitched, pitch, row, sizeof row[0], sizeof row[0], 3, cudaMemcpyHostToDevice);
  (void)cudaMemcpy2D(grid, sizeof grid[0], pitched, pitch, sizeof row[0], 3, cudaMemcpyDeviceToHost);
  std::printf("pitch %zu: %d %d %d\n", pitch, grid[0][0], grid[1][1], grid[2][0]);
  (void)cudaMemcpy(row, grid, sizeof(int), cudaMemcpyHostToHost);
}

void symbols() {
  int value = 0;
  const float some[] = {1, 2};
  (void)cudaMemcpyFromSymbol(&value, counter, sizeof value);
  (void)cudaMemcpyToSymbol(weights, some, sizeof some, 8);
  std::printf("%d %d\n", value, total);
  total = 6;
  std::printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(value, some, 4)));
}

void launches() {
  float* device = reinterpret_cast<float*>(0x200000400000);
  WITH(dim3(2, 3), 32, 128), course::add(device, device, 3);
  WITH(1, 1), plain();
  double by = 0.5;
  void* arguments[] = {&device, &by};
  (void)cudaLaunchKernel(scaled, dim3(1), dim3(8), arguments, 0, nullptr);
  int blocks = 0, grid = 0, block = 0;
  (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, course::add<float>, 256, 0);
  (void)cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0);
  std::printf("%d %d %d\n", blocks, grid, block);
}

void errors() {
  std::printf("%s\n", cudaGetErrorString(cudaSetDevice(3)));
  std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
  std::printf("%s %s\n", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaGetLastError()));
  cudaDeviceProp device;
  (void)cudaGetDeviceProperties(&device, 0);
  int processors = 0;
  (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  std::printf("%d %d.%d %zu\n", processors, device.major, device.minor, device.totalGlobalMem);
}

void shared_memory() {
  int *managed = nullptr, *pinned = nullptr, *same = nullptr;
  (void)cudaMallocManaged(&managed, 5000);
  (void)cudaMallocHost(&pinned, 100);
  (void)cudaHostGetDevicePointer(&same, pinned, 0);
  managed[1000] = 4;
  pinned[3] = 5;
  std::printf("%d %d\n", managed[1000] + same[3], same == pinned);
  (void)cudaFree(managed);
  (void)cudaFreeHost(pinned);
}

void touch() {
  float* device = nullptr;
  (void)cudaMalloc(&device, 4);
  std::printf("before\n");
  device[0] = on_both(4.0f);  // the line of the fault
}

void copy_from_nowhere() {
  float* device = nullptr;
  (void)cudaMalloc(&device, 4);
  (void)cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice);
}

int numbers[4];
void wrong_sizes() {
  int* device = nullptr;
  std::vector<int> block(10);
  int* plain = static_cast<int*>(std::malloc(40));
  (void)cudaMalloc(&device, 400);
  (void)cudaMemcpy(device, block.data(), 40, cudaMemcpyHostToDevice);
  (void)cudaMemcpy(device, plain + 2, 36, cudaMemcpyHostToDevice);  // four bytes too many
  (void)cudaMemcpy(numbers, device, 16, cudaMemcpyDeviceToHost);
  (void)cudaMemcpy(device, numbers + 3, 8, cudaMemcpyHostToDevice);  // as well
  plain = static_cast<int*>(std::realloc(plain, 80));
  (void)cudaMemcpy(device, plain + 2, 72, cudaMemcpyHostToDevice);
  std::free(plain);
}

void streams() {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  float milliseconds = 0;
  (void)cudaStreamCreate(&stream);
  (void)cudaEventCreate(&start);
  (void)cudaEventCreate(&stop);
  (void)cudaEventRecord(start, stream);
  (void)cudaEventRecord(stop);
  (void)cudaEventElapsedTime(&milliseconds, start, stop);
  (void)cudaLaunchHostFunc(stream, [](void* text) { std::printf("%s\n", static_cast<const char*>(text)); }, const_cast<char*>("called"));
  std::printf("%.1f\n", milliseconds);
  (void)cudaDeviceSynchronize();
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "copies") copies();
  if (what == "symbols") symbols();
  if (what == "launches") launches();
  if (what == "errors") errors();
  if (what == "shared-memory") shared_memory();
  if (what == "touch") touch();
  if (what == "copy-from-nowhere") copy_from_nowhere();
  if (what == "streams") streams();
  if (what == "wrong-sizes") wrong_sizes();
  if (what == "ends") {
    cudaMalloc(&buffer.data, 64);  // nobody looks at its value
    return 3;
  }
  return 0;
}
