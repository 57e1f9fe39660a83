// compile-error in line 5:
// says: `__shfl_down_syncs`,`__shfl_down_sync`
__global__ void sum(float *x) {
  float own = x[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_syncs(0xffffffff, own, step);
  if (threadIdx.x == 0) x[0] = own;
}
int main() {
  float *d;
  cudaMalloc(&d, 32 * sizeof(float));
  cudaMemset(d, 0, 32 * sizeof(float));
  sum<<<1, 32>>>(d);
  cudaFree(d);
}
