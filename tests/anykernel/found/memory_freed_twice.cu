// crash in line 6: --kernel keep --block 4 --arg 'int[4]=0'
__global__ void keep(int* out) {
  int* mine = new int[2];
  mine[0] = mine[1] = 1;
  if (mine[0]) delete[] mine;
  delete[] mine;
}
