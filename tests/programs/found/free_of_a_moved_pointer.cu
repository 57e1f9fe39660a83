// bad-free in line 9:
// says: d_x
__global__ void zero(int *x) { *x = 0; }

int main() {
  int *d_x;
  cudaMalloc(&d_x, 8 * sizeof(int));
  for (int i = 0; i < 8; ++i) zero<<<1, 1>>>(d_x++);
  cudaFree(d_x);
}
