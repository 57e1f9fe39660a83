// Matrix multiplication, open class: C = A·B, as fast as you can make it; the result is checked as in the other labs.
// A is M×K, B is K×N, C is M×N: row-major, fp32, in global memory; any M, N, K ≥ 1.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  // TODO: a launch that suits your kernel. This placeholder starts a single thread.
  return LaunchConfig{dim3(1, 1), dim3(1, 1)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  // TODO: your fastest correct kernel. Ideas, in the order in which they usually pay: your boundary kernel with a
  // larger tile; several elements of C for each thread, kept in registers; wider loads; loading the next tiles
  // while you compute with these.
}
