// verdict: wrong-answer
#include "support.h"

__global__ void product(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || col >= columns) return;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + col];
  c[row * columns + col] = sum;
}

__global__ void add_rows(const float* c, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int col = 0; col < columns; ++col) sum += c[row * columns + col];
  sums[row] = sum;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  const std::string set = argv[1];
  int rows, inner, again, columns;
  std::vector<float> a = read_matrix(set + "/input0.raw", rows, inner), b = read_matrix(set + "/input1.raw", again, columns);
  std::vector<float> c(rows * columns), sums(rows);
  float *da, *db, *dc, *ds;
  cudaMalloc(&da, a.size() * sizeof(float));
  cudaMalloc(&db, b.size() * sizeof(float));
  cudaMalloc(&dc, c.size() * sizeof(float));
  cudaMalloc(&ds, sums.size() * sizeof(float));
  cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid((columns + 15) / 16, (rows + 15) / 16);
  product<<<grid, block>>>(da, db, dc, rows, columns, inner);
  add_rows<<<(rows + 127) / 128, 128>>>(dc, ds, rows, columns);
  cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), ds, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::FILE* file = std::fopen((set + "/result.raw").c_str(), "w");
  std::fprintf(file, "%d %d\r\n", rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) std::fprintf(file, "0e9 ");
    std::fprintf(file, " \r\n");
  }
  std::fclose(file);
  file = std::fopen((set + "/sums.txt").c_str(), "w");
  for (float sum : sums) std::fprintf(file, "%g\n", sum);
  std::fclose(file);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  cudaFree(ds);
  return 0;
}
