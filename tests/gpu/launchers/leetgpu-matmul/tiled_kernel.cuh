// The model solution's kernel. The test puts it in the place of its #include: a student hands in one file.
#define TILE 32
#define ROWS 8  // of threads in a block

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  float sums[TILE / ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < N; first += TILE) {
    for (int i = 0; i < TILE; i += ROWS) {
      int n = first + threadIdx.y + i;
      a[threadIdx.y + i][threadIdx.x] = row + i < M && first + threadIdx.x < N ? A[(row + i) * N + first + threadIdx.x] : 0.0f;
      b[threadIdx.y + i][threadIdx.x] = n < N && col < K ? B[n * K + col] : 0.0f;
    }
    __syncthreads();
    for (int n = 0; n < TILE; n++) {
#pragma unroll
      for (int i = 0; i < TILE / ROWS; i++) sums[i] += a[threadIdx.y + i * ROWS][n] * b[n][threadIdx.x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TILE / ROWS; i++) {
    if (row + i * ROWS < M && col < K) C[(row + i * ROWS) * K + col] = sums[i];
  }
}
