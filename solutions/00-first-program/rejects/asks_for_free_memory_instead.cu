// verdict: launch-error line: 67
// Asks how much memory is free instead of looking at errors. What is free when a program asks may be taken when it allocates.
// Vector addition as a whole program: `vector_add A B C` reads the numbers in the files A and B, adds them on the GPU, and writes the sums
// to the file C. A file holds fp32 numbers, one after the other, and nothing else. A and B hold n numbers each; n is any size from 1.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Ends the program with a sentence if CUDA could not do what it was asked for: CHECK(cudaMalloc(...));
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
  if (file == nullptr) {
    std::fprintf(stderr, "%s cannot be read\n", name);
    std::exit(2);
  }
  float number;
  while (std::fread(&number, sizeof number, 1, file) == 1) numbers.push_back(number);
  std::fclose(file);
  return numbers;
}

void write_numbers(const char* name, const std::vector<float>& numbers) {
  std::FILE* file = std::fopen(name, "wb");
  if (file == nullptr || std::fwrite(numbers.data(), sizeof(float), numbers.size(), file) != numbers.size()) {
    std::fprintf(stderr, "%s cannot be written\n", name);
    std::exit(2);
  }
  std::fclose(file);
}

// c[i] = a[i] + b[i] for all i below n. All three lie in the memory of the GPU.
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: vector_add A B C\n");
    return 2;
  }
  const std::vector<float> a = read_numbers(words[1]), b = read_numbers(words[2]);
  std::vector<float> c(a.size());  // room for the sums, in the memory of the host

  const int n = static_cast<int>(a.size());
  const std::size_t bytes = a.size() * sizeof(float);

  std::size_t free_bytes = 0, total = 0;
  cudaMemGetInfo(&free_bytes, &total);
  if (free_bytes < 3 * bytes) {
    std::fprintf(stderr, "too little memory\n");
    return 1;
  }
  float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;  // these point to the memory of the GPU: the host may not look there
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);

  cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);

  constexpr int threads = 256;
  add<<<(n + threads - 1) / threads, threads>>>(d_a, d_b, d_c, n);
  cudaGetLastError();  // a launch returns nothing

  cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);  // waits for the kernel

  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);

  write_numbers(words[3], c);
  return 0;
}
