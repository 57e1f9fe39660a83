// run: input/numbers.txt
// prints: 40 numbers, sum of squares 22140\n
#include <fstream>
#include <iostream>
#include <vector>

__global__ void square(const int *in, int *out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main(int argc, char *argv[]) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FILE" << std::endl;
    return 1;
  }
  std::ifstream file(argv[1]);
  if (!file) {
    std::cerr << "cannot read " << argv[1] << std::endl;
    return 1;
  }
  std::vector<int> numbers;
  for (int one; file >> one;) numbers.push_back(one);
  const size_t bytes = numbers.size() * sizeof(int);
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyDefault);
  square<<<1, 64>>>(in, out, (int)numbers.size());
  cudaMemcpy(numbers.data(), out, bytes, cudaMemcpyDefault);
  long sum = 0;
  for (int one : numbers) sum += one;
  std::cout << numbers.size() << " numbers, sum of squares " << sum << std::endl;
  cudaFree(in);
  cudaFree(out);
}
