// run:
// prints: 2 6 12, errors 2 0, left 0\n
// cudaMalloc and cudaFree in kernels: they take from the heap of malloc and give back there. Children and later launches use the memory.
#include <cstdio>

struct Line {
  float *points;
  int count;
};

__global__ void fill(Line *line) { line->points[threadIdx.x] = 2.0f * threadIdx.x; }

__global__ void make(Line *lines, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  lines[i].count = 2 + i;
  if (cudaMalloc((void **)&lines[i].points, lines[i].count * sizeof(float)) != cudaSuccess) printf("none left\n");
  fill<<<1, lines[i].count>>>(lines + i);
}

__global__ void add(const Line *lines, float *sums) {
  float sum = 0;
  for (int k = 0; k < lines[threadIdx.x].count; ++k) sum += lines[threadIdx.x].points[k];
  sums[threadIdx.x] = sum;
}

__global__ void drop(Line *lines) {
  cudaFree(lines[threadIdx.x].points);
  lines[threadIdx.x].points = nullptr;
}

__global__ void ask(size_t bytes, int *error) {
  char *all;
  *error = cudaMalloc(&all, bytes);
  if (*error == cudaSuccess) all[bytes - 1] = 1;
  cudaFree(all);  // null is nothing
  int *one;
  if (cudaMalloc(&one, sizeof *one) == cudaSuccess) free(one);
}

int main() {
  Line *lines, left[3];
  float *sums, host[3];
  int *errors, numbers[2];
  cudaMalloc(&lines, sizeof left);
  cudaMalloc(&sums, sizeof host);
  cudaMalloc(&errors, sizeof numbers);
  make<<<1, 4>>>(lines, 3);
  add<<<1, 3>>>(lines, sums);
  drop<<<1, 3>>>(lines);
  ask<<<1, 1>>>(1 << 30, errors);
  ask<<<1, 1>>>(1000, errors + 1);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(numbers, errors, sizeof numbers, cudaMemcpyDeviceToHost);
  cudaMemcpy(left, lines, sizeof left, cudaMemcpyDeviceToHost);
  const int kept = (left[0].points != nullptr) + (left[1].points != nullptr) + (left[2].points != nullptr);
  printf("%g %g %g, errors %d %d, left %d\n", host[0], host[1], host[2], numbers[0], numbers[1], kept);
  cudaFree(lines);
  cudaFree(sums);
  cudaFree(errors);
}
