// out-of-bounds of data in line 4: --kernel parent --grid 1 --block 2 --arg 'float[100]=1' --arg int=100
__global__ void twice(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] *= 2;
}

__global__ void parent(float* data, int n) {
  if (threadIdx.x == 1) twice<<<(n + 31) / 32, 32, 0, cudaStreamFireAndForget>>>(data, n);
}
