// out-of-bounds in line 6: --kernel keep --block 4 --arg 'int[4]=0'
__global__ void keep(int* out) {
  int* mine = new int(threadIdx.x);
  out[threadIdx.x] = *mine;
  delete mine;
  out[threadIdx.x] += *mine;
}
