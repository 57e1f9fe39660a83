// As lecture slides print it: Row, Col, Pvalue; the inner dimension is called Width.
#include <tilelab/device.cuh>

#define BLOCK_WIDTH 16

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
    dim3 dimGrid((N - 1) / BLOCK_WIDTH + 1, (M - 1) / BLOCK_WIDTH + 1, 1);
    dim3 dimBlock(BLOCK_WIDTH, BLOCK_WIDTH, 1);
    return {dimGrid, dimBlock};
}

__global__
void matmul_naive(const float* d_M, const float* d_N, float* d_P, int Height, int Columns, int Width)
{
    // the row and the column of the d_P element
    int Row = blockIdx.y*blockDim.y+threadIdx.y;
    int Col = blockIdx.x*blockDim.x+threadIdx.x;

    if ((Row < Height) && (Col < Columns)) {
        float Pvalue = 0;
        for (int k = 0; k < Width; ++k)
            Pvalue += d_M[Row*Width+k]*d_N[k*Columns+Col];
        d_P[Row*Columns+Col] = Pvalue;
    }
}
