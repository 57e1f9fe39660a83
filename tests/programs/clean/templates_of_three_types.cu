// run:
// prints: int 300 300\nfloat 1.5 1.5\ndouble 0.25 0.25\n
#include <cstdio>
#include <cstdlib>

namespace course {

template <typename T>
struct Largest {
  __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, int THREADS, class Operation>
__global__ void reduce(const T *in, T *out, int n, Operation operation) {
  __shared__ T part[THREADS];
  T mine = in[threadIdx.x % n];
  for (int i = threadIdx.x; i < n; i += THREADS) mine = operation(mine, in[i]);
  part[threadIdx.x] = mine;
  __syncthreads();
#pragma unroll
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] = operation(part[threadIdx.x], part[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

template <typename T>
void run(const char *name, T scale) {
  const int n = 301;
  T numbers[n], largest, expected = 0;
  for (int i = 0; i < n; ++i) numbers[i] = scale * ((i * 37) % n);
  for (T one : numbers) expected = Largest<T>()(expected, one);
  T *in, *out;
  cudaMalloc(&in, sizeof(numbers));
  cudaMalloc(&out, sizeof(T));
  cudaMemcpy(in, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  reduce<T, 64><<<1, 64>>>(in, out, n, Largest<T>());
  cudaMemcpy(&largest, out, sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s %g %g\n", name, (double)largest, (double)expected);
  cudaFree(in);
  cudaFree(out);
}

}  // namespace course

int main() {
  course::run<int>("int", 1);
  course::run<float>("float", 0.005f);
  course::run<double>("double", 1.0 / 1200);
  return EXIT_SUCCESS;
}
