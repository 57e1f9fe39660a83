// check: --kernel work --grid 4 --block 32 --arg 'int[3]=0' --arg 'int[4]=0'
// Blocks take a lock in turn. The one that has it waits for a value that another block sets without the lock.
__global__ void work(int* places, int* sums) {
  int *lock = places, *go = places + 1, *total = places + 2;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 3) {
    __threadfence();
    atomicExch(go, 1);
  }
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  while (atomicAdd(go, 0) == 0) {
  }
  __threadfence();
  *total += blockIdx.x + 1;
  sums[blockIdx.x] = *total;
  __threadfence();
  atomicExch(lock, 0);
}
