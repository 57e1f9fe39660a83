// In the manner of a vendor's guide: a Matrix struct with a stride, GetElement, SetElement, GetSubMatrix.
#include <tilelab/device.cuh>

#define BLOCK_SIZE 16

typedef struct {
    int width;
    int height;
    int stride;
    const float* elements;
} Matrix;

__device__ float GetElement(const Matrix m, int row, int col) { return m.elements[row * m.stride + col]; }

__device__ Matrix GetSubMatrix(Matrix m, int row, int col) {
    Matrix sub;
    sub.width = BLOCK_SIZE;
    sub.height = BLOCK_SIZE;
    sub.stride = m.stride;
    sub.elements = &m.elements[m.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return sub;
}

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
    return {dim3(N / BLOCK_SIZE, M / BLOCK_SIZE), dim3(BLOCK_SIZE, BLOCK_SIZE)};
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int M, int N, int K) {
    Matrix A = {K, M, K, a};
    Matrix B = {N, K, N, b};
    int blockRow = blockIdx.y;
    int blockCol = blockIdx.x;
    float Cvalue = 0;
    int row = threadIdx.y;
    int col = threadIdx.x;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
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
    c[(blockRow * BLOCK_SIZE + row) * N + blockCol * BLOCK_SIZE + col] = Cvalue;
}
