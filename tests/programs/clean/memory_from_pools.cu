// run:
// prints: sum 2016\nother device: invalid device ordinal\n
// Memory in the order of a stream, from the device's pool, which is told what to keep.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t error = (call);                                                \
    if (error != cudaSuccess) {                                                      \
      printf("line %d: %s (%d)\n", __LINE__, cudaGetErrorString(error), (int)error); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

__global__ void add_up(int *x, int n, int *total) {
  x[threadIdx.x] = threadIdx.x;
  atomicAdd(total, x[threadIdx.x]);
}

int main() {
  cudaMemPool_t pool, none;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  uint64_t threshold = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));

  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *x, *total;
  CHECK(cudaMallocAsync(&x, 64 * sizeof(int), stream));
  CHECK(cudaMallocAsync(&total, sizeof(int), stream));
  CHECK(cudaMemsetAsync(total, 0, sizeof(int), stream));
  add_up<<<1, 64, 0, stream>>>(x, 64, total);
  int sum = 0;
  CHECK(cudaMemcpyAsync(&sum, total, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(total));
  printf("sum %d\n", sum);
  printf("other device: %s\n", cudaGetErrorString(cudaDeviceGetDefaultMemPool(&none, 1)));
  CHECK(cudaStreamDestroy(stream));
}
