// write-before-sync in line 16:
// says: `page`,may still read it
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  int n = 500;
  float *page, *d_x;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&page, n * sizeof(float));
  cudaMalloc(&d_x, n * sizeof(float));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < n; ++i) page[i] = round;
    cudaMemcpyAsync(d_x, page, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    scale<<<2, 256, 0, stream>>>(d_x, n);
  }
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(d_x);
  cudaFreeHost(page);
}
