// partly-set in line 22:
// says: 504 of them,`d_b[16]`,columns from 16 on,exchanged
#include <cstdio>
#include <vector>

__global__ void twice(const int *a, int *b, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) b[row * columns + column] = 2 * a[row * columns + column];
}

int main() {
  const int rows = 6, columns = 100;
  std::vector<int> a(rows * columns, 1), b(rows * columns);
  int *d_a, *d_b;
  cudaMalloc(&d_a, a.size() * sizeof(int));
  cudaMalloc(&d_b, b.size() * sizeof(int));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid((rows + 15) / 16, (columns + 15) / 16);

  twice<<<grid, block>>>(d_a, d_b, rows, columns);
  cudaMemcpy(b.data(), d_b, b.size() * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", b[0]);
  cudaFree(d_a);
  cudaFree(d_b);
}
