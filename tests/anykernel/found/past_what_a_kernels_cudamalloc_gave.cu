// out-of-bounds in line 7: --kernel fill --block 1 --arg 'int[1]=0'
// CUDA takes memory of a kernel's cudaMalloc from the heap: it ends where its bytes end.
__global__ void fill(int* out) {
  int* mine;
  if (cudaMalloc(&mine, 16 * sizeof(int)) != cudaSuccess) return;
  int sum = 0;
  for (int i = 0; i <= 16; ++i) mine[i] = i;
  for (int i = 0; i < 16; ++i) sum += mine[i];
  out[0] = sum;
  cudaFree(mine);
}
