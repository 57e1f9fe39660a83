// unchecked-error in line 12:
// says: `cudaMemcpy` fails here
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  float *x = nullptr, *d_x;
  cudaError_t error = cudaMalloc(&d_x, 400);
  if (error != cudaSuccess) return 1;
  error = cudaMemcpy(d_x, x, 400, cudaMemcpyHostToDevice);
  error = cudaMemset(d_x, 0, 400);
  if (error != cudaSuccess) return 1;
  scale<<<1, 128>>>(d_x, 100);
  error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return 1;
  cudaFree(d_x);
}
