// check: --kernel steps --grid 6 --block 64 --arg 'int[384]=0' --arg 'unsigned int[2]=0' --arg int=4
// A barrier across the grid that counts arrivals, as programs had it before cooperative groups.
__device__ void grid_barrier(unsigned* arrived, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < goal) {
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void steps(int* A, unsigned* arrived, int n) {
  const unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < n; ++step) {
    const int right = A[(i + 64) % threads];
    grid_barrier(arrived, (2 * step + 1) * gridDim.x);
    A[i] = right + 1;
    grid_barrier(arrived, (2 * step + 2) * gridDim.x);
  }
  assert(A[i] == n);
}
