// mistake: verdict=compile-error; line=8; says="`threadIdx` has a value in a kernel only"
#include <tilelab/device.cuh>
#define BS 8

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K)
{
    dim3 threads(BS, BS);
    if (threadIdx.x > 3) threads.x = 4;
    dim3 blocks((N + BS - 1) / BS, (M + BS - 1) / BS);
    return LaunchConfig{blocks, threads};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K)
{
    int y = blockIdx.y * BS + threadIdx.y;
    int x = blockIdx.x * BS + threadIdx.x;
    if (y < M && x < N)
    {
        float dot = 0;
        int i = 0;
        while (i < K)
        {
            dot = dot + A[y * K + i] * B[i * N + x];
            i++;
        }
        C[y * N + x] = dot;
    }
}
