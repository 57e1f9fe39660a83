// race in line 11: --kernel parent --grid 1 --block 64 --arg 'int[64]=0' --arg 'int[64]'
__global__ void child(int* part) { part[threadIdx.x] = threadIdx.x * 2; }

__global__ void parent(int* part, int* out) {
  const int t = threadIdx.x;
  if (t == 0) {
    child<<<1, 64>>>(part);
  }
  __syncthreads();
  // A barrier waits for the threads of its own block.
  out[t] = part[t] + 1;
}
