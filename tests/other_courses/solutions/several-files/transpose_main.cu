#include <cuda_runtime.h>

#include "course.h"
#include "include/transpose.cuh"

int main(int count, char** words) {
  int rows = 0, columns = 0;
  if (count < 3) return 1;
  const std::vector<float> a = read_matrix(words[1], &rows, &columns);
  const std::size_t bytes = a.size() * sizeof(float);
  float *from = nullptr, *to = nullptr;
  CHECK(cudaMalloc(&from, bytes));
  CHECK(cudaMalloc(&to, bytes));
  CHECK(cudaMemcpy(from, a.data(), bytes, cudaMemcpyHostToDevice));
  transpose(from, to, rows, columns);
  CHECK(cudaGetLastError());
  std::vector<float> b(a.size());
  CHECK(cudaMemcpy(b.data(), to, bytes, cudaMemcpyDeviceToHost));
  write_matrix(words[2], b, rows);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  return 0;
}
