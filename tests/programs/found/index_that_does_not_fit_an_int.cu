// out-of-bounds in line 6:
// says: -2147483648,does not fit into an int
__global__ void mark(float *x, int pitch, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row % 2048 == 0 && row < rows)
    x[row * pitch] = 1;
}
int main() {
  float *d;
  cudaMalloc(&d, 1024 * sizeof(float));
  mark<<<9, 256>>>(d, 1 << 20, 2049);
  cudaFree(d);
}
