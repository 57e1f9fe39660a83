// As lecture slides print it: the tiled kernel with boundary checks, if/else around each load.
#include <tilelab/device.cuh>

#define TILE_WIDTH 16

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
    dim3 DimGrid((N-1)/TILE_WIDTH + 1, (M-1)/TILE_WIDTH + 1, 1);
    dim3 DimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    return {DimGrid, DimBlock};
}

// numARows = M, numACols = K, numBCols = N
__global__ void matmul_boundary(const float* A, const float* B, float* C, int numARows, int numBCols, int numACols) {
    __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y,
        tx = threadIdx.x, ty = threadIdx.y,
        Row = by * TILE_WIDTH + ty,
        Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;

    for (int m = 0; m < (numACols-1)/TILE_WIDTH+1; ++m) {
        if (Row < numARows && m*TILE_WIDTH+tx < numACols)
            ds_M[ty][tx] = A[Row*numACols + m*TILE_WIDTH+tx];
        else
            ds_M[ty][tx] = 0;
        if (Col < numBCols && m*TILE_WIDTH+ty < numACols)
            ds_N[ty][tx] = B[(m*TILE_WIDTH+ty)*numBCols+Col];
        else
            ds_N[ty][tx] = 0;

        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += ds_M[ty][k] * ds_N[k][tx];
        __syncthreads();
    }
    if (Row < numARows && Col < numBCols)
        C[Row*numBCols+Col] = Pvalue;
}
