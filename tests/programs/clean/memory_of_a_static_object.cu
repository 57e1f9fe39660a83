// run:
// prints: 8 values, last 49\n
// A static object holds device memory: its destructor runs after main.
#include <cstdio>

struct Storage {
  int *data = nullptr;
  int capacity = 0;
  int *of(int n) {
    if (n > capacity) {
      cudaFree(data);
      cudaMalloc(&data, n * sizeof(int));
      capacity = n;
    }
    return data;
  }
  ~Storage() { cudaFree(data); }
};

static Storage &storage() {
  static Storage one;
  return one;
}

extern "C" __global__ void __launch_bounds__(64) squares(int *__restrict__ x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = i * i;
}

int main() {
  int last = 0;
  for (int n = 1; n <= 8; n *= 2) {
    squares<<<1, 64>>>(storage().of(n), n);
    cudaMemcpy(&last, storage().of(n) + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
  }
  printf("%d values, last %d\n", 8, last);
}
