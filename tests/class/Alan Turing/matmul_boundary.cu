#include <tilelab/device.cuh>

#define TILE_WIDTH 16

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K)
{
    return LaunchConfig{dim3((N + TILE_WIDTH - 1) / TILE_WIDTH, (M + TILE_WIDTH - 1) / TILE_WIDTH), dim3(TILE_WIDTH, TILE_WIDTH)};
}

__global__ void matmul_boundary(const float* M_d, const float* N_d, float* P_d, int M, int N, int K)
{
    __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int Row = blockIdx.y * TILE_WIDTH + ty;
    const int Col = blockIdx.x * TILE_WIDTH + tx;
    float Pvalue = 0.0f;
    for (int phase = 0; phase < K; phase += TILE_WIDTH)
    {
        ds_M[ty][tx] = Row < M && phase + tx < K ? M_d[Row * K + phase + tx] : 0.0f;
        ds_N[ty][tx] = phase + ty < K && Col < N ? N_d[(phase + ty) * N + Col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
        {
            Pvalue += ds_M[ty][k] * ds_N[k][tx];
        }
        __syncthreads();
    }
    if (Row < M && Col < N) P_d[Row * N + Col] = Pvalue;
}
