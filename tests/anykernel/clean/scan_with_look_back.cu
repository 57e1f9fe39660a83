// check: --kernel scan --grid 8 --block 64 --arg 'const int[512]=iota' --arg 'int[512]' --arg 'volatile int[9]=0' --arg 'volatile int[9]=0' --arg 'int[1]=0'
// A prefix sum in one pass: a block waits for the sum of all blocks before it. Tickets number the blocks as they start.
__global__ void scan(const int* A, int* sums, volatile int* prefix, volatile int* ready, int* tickets) {
  __shared__ int part[64], ticket, before;
  if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1);
  __syncthreads();
  const int t = threadIdx.x, i = ticket * 64 + t;
  part[t] = A[i];
  __syncthreads();
  for (int distance = 1; distance < 64; distance *= 2) {
    const int left = t >= distance ? part[t - distance] : 0;
    __syncthreads();
    part[t] += left;
    __syncthreads();
  }
  if (t == 0) {
    int sum = 0;
    if (ticket > 0) {
      while (ready[ticket] == 0) {
      }
      __threadfence();
      sum = prefix[ticket];
    }
    prefix[ticket + 1] = sum + part[63];
    __threadfence();
    ready[ticket + 1] = 1;
    before = sum;
  }
  __syncthreads();
  sums[i] = before + part[t];
  assert(sums[i] == i * (i + 1) / 2);
}
