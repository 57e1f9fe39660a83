// run:
// prints: 299 334 1\n
#include <cstdio>
#include <vector>

struct Particle {
  char kind;
  double mass;
  int number;
};

__global__ void set(Particle *all, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  all[i].kind = 1;
  all[i].mass = i;
  all[i].number = 2;
}

__global__ void keep(const int *a, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] % 3 == 0) out[atomicAdd(count, 1)] = a[i];
}

__global__ void ones(float *x, size_t pitch, int columns) {
  if (threadIdx.x < columns) ((float *)((char *)x + blockIdx.x * pitch))[threadIdx.x] = 1;
}

int main() {
  const int n = 300, values = 1000, columns = 50, rows = 20;
  std::vector<Particle> all(n);  // the bytes between their members are nobody's
  Particle *d_all;
  cudaMalloc(&d_all, n * sizeof(Particle));
  set<<<2, 256>>>(d_all, n);
  cudaMemcpy(all.data(), d_all, n * sizeof(Particle), cudaMemcpyDeviceToHost);

  std::vector<int> a(values), out(values);  // as many as there may be; a number says how many there are
  for (int i = 0; i < values; ++i) a[i] = i;
  int *d_a, *d_out, *d_count, count;
  cudaMalloc(&d_a, values * sizeof(int));
  cudaMalloc(&d_out, values * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemset(d_count, 0, sizeof(int));
  cudaMemcpy(d_a, a.data(), values * sizeof(int), cudaMemcpyHostToDevice);
  keep<<<4, 256>>>(d_a, d_out, d_count, values);
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(out.data(), d_out, values * sizeof(int), cudaMemcpyDeviceToHost);

  float *x;  // with what lies between its rows
  size_t pitch;
  cudaMallocPitch(&x, &pitch, columns * sizeof(float), rows);
  ones<<<rows, 64>>>(x, pitch, columns);
  std::vector<float> whole(pitch / sizeof(float) * rows);
  cudaMemcpy(whole.data(), x, pitch * rows, cudaMemcpyDeviceToHost);

  printf("%g %d %g\n", all[n - 1].mass, count, whole[columns - 1]);
  cudaFree(d_all);
  cudaFree(d_a);
  cudaFree(d_out);
  cudaFree(d_count);
  cudaFree(x);
}
