// timeout in line 6: --kernel count --block 256 --arg 'int[2]=0' --arg int=2147483647
// The last index passes the largest int and goes on from the smallest one. Nothing waits for anything.
__global__ void count(int* hits, int limit) {
  int i = limit - 300 + threadIdx.x;
  for (; i < limit; i += blockDim.x)
    if (i < 0) atomicAdd(hits, 1);
}
