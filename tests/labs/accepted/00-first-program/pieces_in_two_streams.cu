// Pieces of the numbers in two streams, with pinned memory, so that copies and kernels overlap. Checks the sums on the host afterwards.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(expression)                                                                           \
  if (cudaError_t status = (expression); status != cudaSuccess) {                                        \
    std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #expression, cudaGetErrorName(status));  \
    std::exit(EXIT_FAILURE);                                                                             \
  }

constexpr int piece = 4096, streams = 2;

__global__ void addPiece(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int count) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= count) return;
  c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  FILE* fileA = std::fopen(argv[1], "rb");
  FILE* fileB = std::fopen(argv[2], "rb");
  std::fseek(fileA, 0, SEEK_END);
  const int n = std::ftell(fileA) / 4;
  std::rewind(fileA);
  float *a, *b, *c;
  CUDA_CHECK(cudaMallocHost(&a, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&b, n * sizeof(float)));
  CUDA_CHECK(cudaHostAlloc(&c, n * sizeof(float), cudaHostAllocDefault));
  if (std::fread(a, 4, n, fileA) + std::fread(b, 4, n, fileB) != 2 * static_cast<size_t>(n)) return 4;
  std::fclose(fileA);
  std::fclose(fileB);

  cudaStream_t stream[streams];
  float* device[streams];
  for (int s = 0; s < streams; ++s) {
    CUDA_CHECK(cudaStreamCreate(&stream[s]));
    CUDA_CHECK(cudaMalloc(&device[s], 3 * piece * sizeof(float)));
  }
  for (int start = 0, s = 0; start < n; start += piece, s = 1 - s) {
    const int count = std::min(piece, n - start);
    float *d_a = device[s], *d_b = d_a + piece, *d_c = d_b + piece;
    CUDA_CHECK(cudaMemcpyAsync(d_a, a + start, count * sizeof(float), cudaMemcpyHostToDevice, stream[s]));
    CUDA_CHECK(cudaMemcpyAsync(d_b, b + start, count * sizeof(float), cudaMemcpyHostToDevice, stream[s]));
    addPiece<<<(count + 127) / 128, 128, 0, stream[s]>>>(d_a, d_b, d_c, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(c + start, d_c, count * sizeof(float), cudaMemcpyDeviceToHost, stream[s]));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
  std::printf("%d wrong sums\n", wrong);

  FILE* out = std::fopen(argv[3], "wb");
  std::fwrite(c, sizeof(float), n, out);
  std::fclose(out);
  for (int s = 0; s < streams; ++s) {
    CUDA_CHECK(cudaFree(device[s]));
    CUDA_CHECK(cudaStreamDestroy(stream[s]));
  }
  CUDA_CHECK(cudaFreeHost(a));
  CUDA_CHECK(cudaFreeHost(b));
  CUDA_CHECK(cudaFreeHost(c));
  return wrong != 0;
}
