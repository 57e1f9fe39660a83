// Calls an intrinsic to be added.
__global__ void count(int* C) {
  assert(__count_both(5u, 7u) == 5);
  C[threadIdx.x] = __count_both(threadIdx.x, 1u);
}
