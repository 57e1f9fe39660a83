// run:
// prints: the default pool is current: 1\nused 4096, at most 8192\nreserved after the wait: 1\nreserved after trimming: 0\nlimit: out of memory\nsum 2016\nother device: invalid device ordinal\n
// Memory in the order of a stream, from the device's pool and from one of the program's own; what a pool says about itself.
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
  cudaMemPool_t usual, current, own;
  CHECK(cudaDeviceGetDefaultMemPool(&usual, 0));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  printf("the default pool is current: %d\n", usual == current);
  uint64_t threshold = UINT64_MAX, number = 0, more = 0;
  CHECK(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &threshold));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  char *one, *two;
  CHECK(cudaMallocAsync(&one, 4096, stream));
  CHECK(cudaMallocAsync(&two, 4096, stream));
  CHECK(cudaFreeAsync(two, stream));
  CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrUsedMemCurrent, &number));
  CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrUsedMemHigh, &more));
  printf("used %d, at most %d\n", (int)number, (int)more);
  CHECK(cudaFreeAsync(one, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrReservedMemCurrent, &number));
  printf("reserved after the wait: %d\n", number > 0);
  CHECK(cudaMemPoolTrimTo(usual, 0));
  CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrReservedMemCurrent, &number));
  printf("reserved after trimming: %d\n", (int)number);

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  properties.maxSize = 1 << 20;
  CHECK(cudaMemPoolCreate(&own, &properties));
  cudaMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(own, &access, 1));
  int *x, *total;
  printf("limit: %s\n", cudaGetErrorString(cudaMallocFromPoolAsync(&x, 2 << 20, own, stream)));
  CHECK(cudaMallocFromPoolAsync(&x, 64 * sizeof(int), own, stream));
  CHECK(cudaDeviceSetMemPool(0, own));
  CHECK(cudaMallocAsync(&total, sizeof(int), stream));
  CHECK(cudaMemsetAsync(total, 0, sizeof(int), stream));
  add_up<<<1, 64, 0, stream>>>(x, 64, total);
  int sum = 0;
  CHECK(cudaMemcpyAsync(&sum, total, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(total));
  printf("sum %d\n", sum);
  CHECK(cudaMemPoolDestroy(own));
  printf("other device: %s\n", cudaGetErrorString(cudaDeviceGetDefaultMemPool(&own, 1)));
  CHECK(cudaStreamDestroy(stream));
}
