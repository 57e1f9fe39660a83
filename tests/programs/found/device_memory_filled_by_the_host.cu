// device-pointer-on-host in line 12:
// says: d_x
__global__ void twice(float *x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  const int n = 100;
  float *d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  for (int i = 0; i < n; ++i) d_x[i] = i;
  twice<<<1, 128>>>(d_x, n);
  cudaDeviceSynchronize();
  cudaFree(d_x);
  return 0;
}
