// race of hits in line 5: --kernel count --grid 2 --block 64 --arg 'const int[128]=iota'
__device__ int hits;

__global__ void count(const int* A) {
  if (A[blockIdx.x * blockDim.x + threadIdx.x] % 3 == 0) hits = hits + 1;
}
