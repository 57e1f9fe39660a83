// out-of-bounds of offsets in line 9: --kernel degrees --block 32 --arg 'int[32]'
// The last thread reads one element past an array of the module; another variable lies behind it.
__device__ int offsets[32] = {0, 2, 4};
__device__ int edges[64];

__global__ void degrees(int* out) {
  const int* first = offsets;
  const int v = threadIdx.x;
  out[v] = first[v + 1] - first[v] + (edges[v] > 0);
}
