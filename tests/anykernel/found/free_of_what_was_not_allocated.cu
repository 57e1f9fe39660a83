// crash in line 4: --kernel keep --block 4 --arg 'int[4]=0'
__global__ void keep(int* out) {
  int* mine = static_cast<int*>(malloc(8));
  free(mine + 1);
}
