// The programming guide's Matrix structs, with guards in GetElement and SetElement.
#include <tilelab/device.cuh>
#include <cuda_runtime.h>
typedef struct { int width; int height; int stride; float* elements; } Matrix;
#define BLOCK_SIZE 16
__device__ float GetElement(const Matrix A, int row, int col) { 
    return (row < A.height && col < A.width) ? A.elements[row * A.stride + col] : 0.0f; }
__device__ void SetElement(Matrix A, int row, int col, float value) { if (row < A.height && col < A.width) A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
    Matrix Asub;
    Asub.width = min(BLOCK_SIZE, A.width - BLOCK_SIZE * col);
    Asub.height = min(BLOCK_SIZE, A.height - BLOCK_SIZE * row);
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid((N - 1) / dimBlock.x + 1, (M - 1) / dimBlock.y + 1);
    return LaunchConfig{dimGrid, dimBlock};
}
__global__ void matmul_boundary(const float* A_, const float* B_, float* C_, int M, int N, int K) {
    Matrix A = {K, M, K, (float*)A_}, B = {N, K, N, (float*)B_}, C;
    C.width = C.stride = N; C.height = M; C.elements = C_;
    int blockRow = blockIdx.y, blockCol = blockIdx.x;
    Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
    float Cvalue = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < ((K + BLOCK_SIZE - 1) / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockRow, m);
        Matrix Bsub = GetSubMatrix(B, m, blockCol);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, Cvalue);
}
