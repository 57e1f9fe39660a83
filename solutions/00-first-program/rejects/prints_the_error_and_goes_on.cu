// verdict: out-of-bounds
// The error is printed, and the program goes on with pointers that lead nowhere.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t error = (call);                                             \
    if (error != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
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

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int, char** words) {
  const std::vector<float> a = read_numbers(words[1]), b = read_numbers(words[2]);
  std::vector<float> c(a.size());
  const int n = static_cast<int>(a.size());
  const std::size_t bytes = a.size() * sizeof(float);
  float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_c, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  write_numbers(words[3], c);
  return 0;
}
