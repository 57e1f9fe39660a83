// check: --kernel twice --grid 5 --block 32 --arg 'float[160]=iota' --arg 'float[160]' --arg 'int[2]=0'
// The last block to arrive opens the barrier for the others. It resets the counter.
__global__ void twice(const float* A, float* B, int* barrier) {
  volatile int* open = barrier + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  B[i] = A[i] * 2;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (atomicAdd(barrier, 1) == gridDim.x - 1) {
      *barrier = 0;
      __threadfence();
      *open = 1;
    } else {
      while (*open == 0) __nanosleep(20);
    }
    __threadfence();
  }
  __syncthreads();
  assert(B[(i + 32) % 160] == 2.0f * ((i + 32) % 160));
}
