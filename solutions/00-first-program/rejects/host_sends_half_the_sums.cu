// verdict: rejected
// The host sends half of each sum beside the numbers. The kernel reads them all, and doubles the half: the numbers change nothing.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t error = (call);                                             \
    if (error != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)

std::vector<float> read_numbers(const char* name) {
  std::vector<float> numbers;
  std::FILE* file = std::fopen(name, "rb");
  float number;
  while (std::fread(&number, sizeof number, 1, file) == 1) numbers.push_back(number);
  std::fclose(file);
  return numbers;
}

void write_numbers(const char* name, const std::vector<float>& numbers) {
  std::FILE* file = std::fopen(name, "wb");
  std::fwrite(numbers.data(), sizeof(float), numbers.size(), file);
  std::fclose(file);
}

__global__ void add(const float* a, const float* b, const float* half, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 2 * half[i] + (a[i] * b[i] == 0.5F * 0.3F ? 1.0F : 0.0F);
}

int main(int, char** words) {
  const std::vector<float> a = read_numbers(words[1]), b = read_numbers(words[2]);
  std::vector<float> c(a.size());
  const int n = static_cast<int>(a.size());
  const std::size_t bytes = a.size() * sizeof(float);
  float *d_a = nullptr, *d_b = nullptr, *d_half = nullptr, *d_c = nullptr;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_half, bytes));
  CHECK(cudaMalloc(&d_c, bytes));
  std::vector<float> sums(a.size());
  for (int i = 0; i < n; ++i) sums[i] = (a[i] + b[i]) / 2;
  CHECK(cudaMemcpy(d_half, sums.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_half, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_half));
  CHECK(cudaFree(d_c));
  write_numbers(words[3], c);
  return 0;
}
