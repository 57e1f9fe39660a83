// verdict: race
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <iostream>
#include <vector>

void cuda_check(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) {
    std::cerr << file << ":" << line << ": CUDA says " << cudaGetErrorString(code) << std::endl;
    exit(1);
  }
}

#define CUDA_CHECK(x)                      \
  do {                                     \
    cuda_check((x), __FILE__, __LINE__);   \
  } while (0)

namespace matmul_l1 {

constexpr int32_t TILE = 32;

__global__ void matmul_l1(int32_t size_i, int32_t size_j, int32_t size_k, float const *a, float const *b, float *c) {
  extern __shared__ float tiles[];
  float *tile_a = tiles;
  float *tile_b = tiles + TILE * TILE;

  int32_t i = blockIdx.y * TILE + threadIdx.y;
  int32_t j = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int32_t start = 0; start < size_k; start += TILE) {
    tile_a[threadIdx.y * TILE + threadIdx.x] = a[i * size_k + start + threadIdx.x];
    tile_b[threadIdx.y * TILE + threadIdx.x] = b[(start + threadIdx.y) * size_j + j];
    __syncthreads();
    for (int32_t k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y * TILE + k] * tile_b[k * TILE + threadIdx.x];
  }
  c[i * size_j + j] = sum;
}

void launch_matmul_l1(int32_t size_i, int32_t size_j, int32_t size_k, float const *a, float const *b, float *c) {
  uint32_t shmem_bytes = 2 * TILE * TILE * sizeof(float);
  CUDA_CHECK(cudaFuncSetAttribute(matmul_l1, cudaFuncAttributeMaxDynamicSharedMemorySize, shmem_bytes));
  dim3 blocks(size_j / TILE, size_i / TILE);
  dim3 threads(TILE, TILE);
  matmul_l1<<<blocks, threads, shmem_bytes>>>(size_i, size_j, size_k, a, b, c);
}

}  // namespace matmul_l1

// What stands in each file of the course: a benchmark with a main() of its own.

double best_of(int32_t rounds, std::function<void()> const &work) {
  double best_ms = 1e30;
  for (int32_t round = 0; round < rounds; ++round) {
    CUDA_CHECK(cudaDeviceSynchronize());
    auto start = std::chrono::high_resolution_clock::now();
    work();
    CUDA_CHECK(cudaDeviceSynchronize());
    auto end = std::chrono::high_resolution_clock::now();
    best_ms = std::min(best_ms, std::chrono::duration<double, std::milli>(end - start).count());
  }
  return best_ms;
}

int main(int argc, char **argv) {
  int32_t size = 256;
  std::vector<float> ones(size * size, 1.0f), product(size * size);
  float *a_gpu, *b_gpu, *c_gpu;
  CUDA_CHECK(cudaMalloc(&a_gpu, ones.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&b_gpu, ones.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&c_gpu, ones.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(a_gpu, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(b_gpu, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
  double ms = best_of(3, [&] { matmul_l1::launch_matmul_l1(size, size, size, a_gpu, b_gpu, c_gpu); });
  CUDA_CHECK(cudaMemcpy(product.data(), c_gpu, product.size() * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%s, %.2f ms\n", product[0] == size ? "right" : "wrong", ms);
  CUDA_CHECK(cudaFree(a_gpu));
  CUDA_CHECK(cudaFree(b_gpu));
  CUDA_CHECK(cudaFree(c_gpu));
  return 0;
}
