// Four columns of C a thread, a tile's width apart; as lecturers introduce thread coarsening.
#include <tilelab/device.cuh>

#define TILE_WIDTH 16
#define COARSE_FACTOR 4

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
    int across = TILE_WIDTH*COARSE_FACTOR;
    return {dim3((N + across - 1)/across, (M + TILE_WIDTH - 1)/TILE_WIDTH), dim3(TILE_WIDTH, TILE_WIDTH)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y*TILE_WIDTH + ty;
    int colStart = blockIdx.x*TILE_WIDTH*COARSE_FACTOR + tx;

    float Pvalue[COARSE_FACTOR];
    for (int c = 0; c < COARSE_FACTOR; ++c) Pvalue[c] = 0.0f;

    for (int ph = 0; ph < (K + TILE_WIDTH - 1)/TILE_WIDTH; ++ph) {
        Mds[ty][tx] = (row < M && ph*TILE_WIDTH + tx < K) ? A[row*K + ph*TILE_WIDTH + tx] : 0.0f;
        for (int c = 0; c < COARSE_FACTOR; ++c) {
            int col = colStart + c*TILE_WIDTH;
            Nds[ty][tx] = (ph*TILE_WIDTH + ty < K && col < N) ? B[(ph*TILE_WIDTH + ty)*N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE_WIDTH; ++k) Pvalue[c] += Mds[ty][k]*Nds[k][tx];
            __syncthreads();
        }
    }
    for (int c = 0; c < COARSE_FACTOR; ++c) {
        int col = colStart + c*TILE_WIDTH;
        if (row < M && col < N) C[row*N + col] = Pvalue[c];
    }
}
