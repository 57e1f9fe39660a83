// The width of a tile stands in constant memory, which has a cache of its own: reads of it ask nothing of global memory.
#include <tilelab/device.cuh>

#define TILE_WIDTH 16

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
    dim3 DimGrid((N-1)/TILE_WIDTH + 1, (M-1)/TILE_WIDTH + 1, 1);
    dim3 DimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    return {DimGrid, DimBlock};
}

// numARows = M, numACols = K, numBCols = N
__constant__ int width = TILE_WIDTH;

__global__ void matmul_boundary(const float* A, const float* B, float* C, int numARows, int numBCols, int numACols) {
    __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y,
        tx = threadIdx.x, ty = threadIdx.y,
        Row = by * width + ty,
        Col = bx * width + tx;
    float Pvalue = 0;

    for (int m = 0; m < (numACols-1)/width+1; ++m) {
        if (Row < numARows && m*width+tx < numACols)
            ds_M[ty][tx] = A[Row*numACols + m*width+tx];
        else
            ds_M[ty][tx] = 0;
        if (Col < numBCols && m*width+ty < numACols)
            ds_N[ty][tx] = B[(m*width+ty)*numBCols+Col];
        else
            ds_N[ty][tx] = 0;

        __syncthreads();
        for (int k = 0; k < width; ++k)
            Pvalue += ds_M[ty][k] * ds_N[k][tx];
        __syncthreads();
    }
    if (Row < numARows && Col < numBCols)
        C[Row*numBCols+Col] = Pvalue;
}
