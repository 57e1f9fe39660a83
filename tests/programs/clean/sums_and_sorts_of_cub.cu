// run:
// prints: sum 499500, smallest -7, scan 0 7 22, sorted -7 -3 2 with 1 2 3\n
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>

__global__ void number(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

int main() {
  const int n = 1000;
  int *in, *out, *keys, *values;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&keys, 6 * sizeof(int));
  cudaMalloc(&values, 6 * sizeof(int));
  number<<<4, 256>>>(in, n);
  void *scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
  cudaMalloc(&scratch, bytes + (1 << 20));
  bytes += 1 << 20;
  cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
  int sum = 0, smallest = 0, before[3], sorted[3], places[3];
  cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
  const int given[] = {7, -7, 2, -3, 9, 8}, order[] = {0, 1, 2, 3, 4, 5}, addends[] = {7, 15, 3};
  cudaMemcpy(keys, given, sizeof given, cudaMemcpyHostToDevice);
  cudaMemcpy(values, order, sizeof order, cudaMemcpyHostToDevice);
  cub::DeviceReduce::Min(scratch, bytes, keys, out, 6);
  cudaMemcpy(&smallest, out, sizeof(int), cudaMemcpyDeviceToHost);
  cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, out, values, out + 500, 6);
  cudaMemcpy(sorted, out, sizeof sorted, cudaMemcpyDeviceToHost);
  cudaMemcpy(places, out + 500, sizeof places, cudaMemcpyDeviceToHost);
  cudaMemcpy(keys, addends, sizeof addends, cudaMemcpyHostToDevice);
  cub::DeviceScan::ExclusiveSum(scratch, bytes, keys, out, 3);
  cudaMemcpy(before, out, sizeof before, cudaMemcpyDeviceToHost);
  printf("sum %d, smallest %d, scan %d %d %d, sorted %d %d %d with %d %d %d\n", sum, smallest, before[0], before[1], before[2], sorted[0],
         sorted[1], sorted[2], places[0], places[2], places[1]);
  cudaFree(in);
  cudaFree(out);
  cudaFree(keys);
  cudaFree(values);
  cudaFree(scratch);
}
