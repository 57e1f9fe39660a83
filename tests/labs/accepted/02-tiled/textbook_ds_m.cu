// As lecture slides print it: ds_M, ds_N, bx, by, Pvalue, TILE_WIDTH, phases.
#include <tilelab/device.cuh>

#define TILE_WIDTH 16

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(N/TILE_WIDTH, M/TILE_WIDTH);
    return {dimGrid, dimBlock};
}

__global__ void matmul_tiled(const float* d_M, const float* d_N, float* d_P, int Height, int Columns, int Width)
{
    __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;

    // the d_P element this thread works on
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;

    // phases: one pair of tiles each
    for (int ph = 0; ph < Width/TILE_WIDTH; ++ph) {
        ds_M[ty][tx] = d_M[Row*Width + ph*TILE_WIDTH + tx];
        ds_N[ty][tx] = d_N[(ph*TILE_WIDTH + ty)*Columns + Col];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += ds_M[ty][k] * ds_N[k][tx];
        __syncthreads();
    }
    d_P[Row*Columns + Col] = Pvalue;
}
