// double-free in line 12:
// says: d_a
__global__ void ones(float *a, float *b) { a[threadIdx.x] = b[threadIdx.x] = 1; }

int main() {
  float *d_a, *d_b;
  cudaMalloc(&d_a, 32 * sizeof(float));
  cudaMalloc(&d_b, 32 * sizeof(float));
  ones<<<1, 32>>>(d_a, d_b);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_a);
}
