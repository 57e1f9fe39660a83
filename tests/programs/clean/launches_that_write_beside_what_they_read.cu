// run:
// prints: rows and columns: 196608 0\nafter another wrote the result: 196608 0\nafter a changed factor: 393216 0\ncast away: 9\n
#include <cstdio>
#include <vector>

const int n = 1 << 16;

__constant__ int factor;

__global__ void scale(const int *in, int *middle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  middle[i] = factor * in[i];
}

__global__ void mirror(const int *middle, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[n - 1 - i] = middle[i];
}

__global__ void clear(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = -1; }

// It may do so, as the memory is no constant: and so it does something else each time.
__global__ void count(const int *counter) {
  if (threadIdx.x == 0) const_cast<int *>(counter)[0] += 1;
}

void report(const char *what, const int *out) {
  std::vector<int> got(n);
  cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int others = 0;
  for (int i = 0; i < n; ++i) others += got[i] != got[0];
  printf("%s: %d %d\n", what, got[0], others);
}

int main() {
  std::vector<int> ones(n, n);
  int *in, *middle, *out, *counter;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&middle, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  cudaMemcpy(in, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  int three = 3, six = 6;
  cudaMemcpyToSymbol(factor, &three, sizeof(int));
  for (int i = 0; i < 20; ++i) {
    scale<<<n / 256, 256>>>(in, middle);
    mirror<<<n / 256, 256>>>(middle, out);
  }
  report("rows and columns", out);
  clear<<<n / 256, 256>>>(out);
  mirror<<<n / 256, 256>>>(middle, out);
  report("after another wrote the result", out);
  cudaMemcpyToSymbol(factor, &six, sizeof(int));
  scale<<<n / 256, 256>>>(in, middle);
  mirror<<<n / 256, 256>>>(middle, out);
  report("after a changed factor", out);
  for (int i = 0; i < 9; ++i) count<<<1, 32>>>(counter);
  int counted = 0;
  cudaMemcpy(&counted, counter, sizeof(int), cudaMemcpyDeviceToHost);
  printf("cast away: %d\n", counted);
  cudaFree(in);
  cudaFree(middle);
  cudaFree(out);
  cudaFree(counter);
}
