// check: --kernel chain --grid 40 --block 8 --arg 'volatile int[41]=0' --arg 'float[320]'
// Each block waits for a flag of the block before it. In the reverse order, all blocks but the first wait.
__global__ void chain(volatile int* flags, float* out) {
  if (threadIdx.x == 0 && blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = blockIdx.x == 0 ? 1.0f : out[i - 8] + 1.0f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) flags[blockIdx.x] = 1;
  assert(out[i] == blockIdx.x + 1);
}
