// timeout in line 5: --kernel both --grid 2 --block 1 --arg 'volatile int[2]=0'
__global__ void both(volatile int* flags) {
  const int other = 1 - blockIdx.x;
  int seen = 0;
  while ((seen = flags[other]) == 0) {
  }
  flags[blockIdx.x] = 1;
}
