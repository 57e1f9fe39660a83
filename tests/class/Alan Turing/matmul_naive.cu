#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K)
{
    return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* M_d, const float* N_d, float* P_d, int M, int N, int K)
{
    const int Row = blockIdx.y * blockDim.y + threadIdx.y;
    const int Col = blockIdx.x * blockDim.x + threadIdx.x;
    if (Row < M && Col < N)
    {
        float Pvalue = 0.0f;
        for (int k = 0; k < K; ++k)
        {
            Pvalue += M_d[Row * K + k] * N_d[k * N + Col];
        }
        P_d[Row * N + Col] = Pvalue;
    }
}
