// The tiled 16x16 product of the labs' model solution, word for word, as OpenCL C: what Oclgrind runs for `make bench`.
// A is MxK, B is KxN, C is MxN: row-major, fp32, in global memory; M, N, K are multiples of 16.
#define TILE 16

__kernel void tiled_twin(__global const float* A, __global const float* B, __global float* C, int M, int N, int K) {
  __local float As[TILE][TILE];  // rows of A, a piece of K
  __local float Bs[TILE][TILE];  // the same piece of K, columns of B

  const int tx = get_local_id(0);
  const int ty = get_local_id(1);
  const int row = get_group_id(1) * TILE + ty;
  const int col = get_group_id(0) * TILE + tx;

  float sum = 0.0f;
  for (int start = 0; start < K; start += TILE) {
    As[ty][tx] = A[row * K + start + tx];
    Bs[ty][tx] = B[(start + ty) * N + col];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int k = 0; k < TILE; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * N + col] = sum;
}
