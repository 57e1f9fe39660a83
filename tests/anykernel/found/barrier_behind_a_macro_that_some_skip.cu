// barrier-divergence in line 8: --kernel squares --block 40 --arg 'int[33]=iota' --arg 'int[33]' --arg int=33
#define INSIDE(i, n) if ((i) < (n))
#define MEET() __syncthreads()
__global__ void squares(const int* in, int* out, int count) {
  const int i = threadIdx.x;
  INSIDE(i, count) {
    out[i] = in[i] * in[i];
    MEET();
  }
  return;
}
