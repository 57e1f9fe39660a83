// Threads without an element of C help to load, wait at every barrier, and leave at the end.
#include <cuda_runtime.h>
#include "tilelab/device.cuh"

static constexpr int kTile = 24;  // no power of two, no multiple of a warp

extern "C++" __host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K)
{
    auto blocks = [](int n) { return (unsigned)((n + kTile - 1) / kTile); };
    return LaunchConfig{ dim3{blocks(N), blocks(M), 1}, dim3{kTile, kTile, 1} };
}

__global__ void matmul_boundary(float const* const A, float const* const B, float* const C,
                                int const M, int const N, int const K)
{
    __shared__ float s_a[kTile * kTile];
    __shared__ float s_b[kTile * kTile];

    const size_t r = size_t(blockIdx.y) * kTile + threadIdx.y;
    const size_t c = size_t(blockIdx.x) * kTile + threadIdx.x;
    const unsigned own = threadIdx.y * kTile + threadIdx.x;

    float acc{0.f};
    for (int base{0}; base < K; base += kTile)
    {
        s_a[own] = 0.f;
        s_b[own] = 0.f;
        if (r < size_t(M) && base + int(threadIdx.x) < K) s_a[own] = A[r * K + base + threadIdx.x];
        if (c < size_t(N) && base + int(threadIdx.y) < K) s_b[own] = B[(base + threadIdx.y) * size_t(N) + c];
        __syncthreads();

        for (int i{0}; i < kTile; ++i) acc += s_a[threadIdx.y * kTile + i] * s_b[i * kTile + threadIdx.x];
        __syncthreads();
    }

    if (r >= size_t(M) || c >= size_t(N)) return;
    C[r * N + c] = acc;
}
