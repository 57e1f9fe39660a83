// race of A in line 9: --kernel shift --grid 4 --block 32 --arg 'int[128]=iota' --arg 'int[1]=0'
__global__ void shift(int* A, int* arrived) {
  const int i = blockIdx.x * 32 + threadIdx.x, right = A[(i + 32) % 128];
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {
    }
  }
  A[i] = right;
}
