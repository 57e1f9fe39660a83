// K / T + 1 steps: one too many when T divides K, and harmless, since it is all zeros. Blocks too many as well.
#include "tilelab/device.cuh"
#define T 16
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) { return {dim3(N / T + 1, M / T + 1), dim3(T, T)}; }
__global__ void matmul_boundary(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float a[T][T]; __shared__ float b[T][T];
    int i = threadIdx.y + blockIdx.y*T, j = threadIdx.x + blockIdx.x*T, t; float s = 0;
    for (t = 0; t < K/T + 1; t++) {
        int ka = t*T + threadIdx.x, kb = t*T + threadIdx.y;
        if (i < M && ka < K) { a[threadIdx.y][threadIdx.x] = A[i*K + ka]; } else { a[threadIdx.y][threadIdx.x] = 0.0; }
        if (kb < K && j < N) { b[threadIdx.y][threadIdx.x] = B[kb*N + j]; } else { b[threadIdx.y][threadIdx.x] = 0.0; }
        __syncthreads();
        for (int k = 0; k < T; k++) { s += a[threadIdx.y][k]*b[k][threadIdx.x]; }
        __syncthreads();
    }
    if (i < M) { if (j < N) { C[i*N + j] = s; } }
}
