// unasked-launch in line 11:
// says: 0 + 65536 bytes,49152 is the most unless cudaFuncSetAttribute
__global__ void swap(float *x) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[threadIdx.x];
}
int main() {
  float *d;
  cudaMalloc(&d, 32 * sizeof(float)), cudaMemset(d, 0, 32 * sizeof(float));
  swap<<<1, 32, 64 * 1024>>>(d);
  cudaFree(d);
}
