// What the kernels are compared with: one thread for each element, without shared memory.
__global__ void gemm(float* C, const float* A, const float* B, float alpha, float beta, unsigned int M, unsigned int N, unsigned int K,
                     size_t pitch, int tile) {
  unsigned int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (unsigned int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  float* c = (float*)((char*)C + row * pitch) + col;
  *c = alpha * sum + beta * *c;
}
