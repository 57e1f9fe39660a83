// vector_add A B C: the numbers of the files A and B are added on the GPU, and C gets the sums.
#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

static std::vector<float> numbers_of(const char* name) {
  std::FILE* file = std::fopen(name, "rb");
  if (!file) std::exit(2);
  std::fseek(file, 0, SEEK_END);
  std::vector<float> numbers(std::ftell(file) / sizeof(float));
  std::rewind(file);
  if (std::fread(numbers.data(), sizeof(float), numbers.size(), file) != numbers.size()) std::exit(2);
  std::fclose(file);
  return numbers;
}

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::vector<float> a = numbers_of(argv[1]), b = numbers_of(argv[2]), c(a.size());
  const int n = static_cast<int>(a.size());
  const std::size_t bytes = n * sizeof(float);

  float *d_a, *d_b, *d_c;
  must(cudaMalloc(&d_a, bytes), "memory for a");
  must(cudaMalloc(&d_b, bytes), "memory for b");
  must(cudaMalloc(&d_c, bytes), "memory for c");
  must(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice), "copy of a");
  must(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice), "copy of b");

  const dim3 block(128), grid((n + block.x - 1) / block.x);
  add<<<grid, block>>>(d_a, d_b, d_c, n);
  must(cudaGetLastError(), "launch");
  must(cudaDeviceSynchronize(), "kernel");

  must(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost), "copy of c");
  must(cudaFree(d_a), "free");
  must(cudaFree(d_b), "free");
  must(cudaFree(d_c), "free");

  std::FILE* out = std::fopen(argv[3], "wb");
  if (!out) return 2;
  std::fwrite(c.data(), sizeof(float), c.size(), out);
  std::fclose(out);
  return 0;
}
