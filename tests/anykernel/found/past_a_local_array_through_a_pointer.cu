// out-of-bounds of b in line 5: --kernel spill --block 32 --arg 'int[32]'
__global__ void spill(int* C) {
  int b[2] = {1, 2};
  int* p = b;
  p[3] = 7;
  C[threadIdx.x] = b[0] + b[1];
}
