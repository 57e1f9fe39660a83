// launch-error in line 5: --kernel parent --grid 1 --block 1 --arg 'int[2048]' --arg int=2048
__global__ void fill(int* out, int n) { out[threadIdx.x] = n; }

__global__ void parent(int* out, int n) {
  fill<<<1, n>>>(out, n);
}
