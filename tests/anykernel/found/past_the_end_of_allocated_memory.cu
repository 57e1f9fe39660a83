// out-of-bounds in line 4: --kernel fill --block 1 --arg 'int[1]=0'
__global__ void fill(int* out) {
  int* mine = static_cast<int*>(malloc(16 * sizeof(int)));
  for (int k = 0; k <= 16; ++k) mine[k] = k;
  *out = mine[3];
  free(mine);
}
