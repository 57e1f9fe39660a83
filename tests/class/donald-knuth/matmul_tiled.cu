#include <tilelab/device.cuh>

constexpr int BLOCK = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
    return LaunchConfig{dim3(N / BLOCK, M / BLOCK), dim3(BLOCK, BLOCK)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float sA[BLOCK][BLOCK];
    __shared__ float sB[BLOCK][BLOCK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BLOCK + ty;
    const int col = blockIdx.x * BLOCK + tx;
    float acc = 0.0f;
    for (int start = 0; start < K; start += BLOCK) {
        sA[ty][tx] = A[row * K + start + tx];
        sB[ty][tx] = B[(start + ty) * N + col];
        for (int k = 0; k < BLOCK; ++k) {
            acc += sA[ty][k] * sB[k][tx];
        }
        __syncthreads();
    }
    C[row * N + col] = acc;
}
