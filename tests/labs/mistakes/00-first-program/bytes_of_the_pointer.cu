// mistake: verdict=out-of-bounds; line=39; says="This copy reads 4,000 bytes, but `d_c`, allocated in line 34, has only 8 bytes."
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) \
  if (const cudaError_t error = (call)) { \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    std::exit(1); \
  }

std::vector<float> load(const char* name) {
  std::vector<float> numbers;
  std::FILE* file = std::fopen(name, "rb");
  float number;
  while (file && std::fread(&number, sizeof number, 1, file) == 1) numbers.push_back(number);
  if (file) std::fclose(file);
  return numbers;
}

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::vector<float> a = load(argv[1]), b = load(argv[2]), c(a.size());
  int n = a.size();
  size_t bytes = n * sizeof(float);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_c, sizeof(d_c)));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  std::FILE* out = std::fopen(argv[3], "wb");
  std::fwrite(c.data(), sizeof(float), n, out);
  std::fclose(out);
}
