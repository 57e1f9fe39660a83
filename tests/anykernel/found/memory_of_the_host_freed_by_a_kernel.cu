// crash in line 4: --kernel drop --block 1 --arg 'int[4]=0'
// A kernel's cudaFree gives back what a kernel's cudaMalloc took, and nothing else.
__global__ void drop(int* out) {
  cudaFree(out);
}
