// run:
// prints: caught: below 0\ncaught: no 9\ncaught: negative\n1 2 3 4\n
// Host code may throw: in members of a class that a kernel gets too, behind __CUDA_ARCH__, and in functions that no kernel names.
#include <cstdio>
#include <stdexcept>
#include <string>

struct Range {
  int n;
  float values[4];
  Range() : n(4) {
    try {
      for (int i = 0; i < n; ++i) values[at(i)] = i + 1;
    } catch (const std::exception &error) {
      n = 0;
    }
  }
  int at(int i) const {
    if (i >= n) throw std::out_of_range("no " + std::to_string(i));
    return i;
  }
  __host__ __device__ float get(int i) const {
#ifndef __CUDA_ARCH__
    if (i < 0) throw std::out_of_range("below 0");
#endif
    return values[i];
  }
};

template <class T>
T checked(T x) {
  if (x < 0) throw std::runtime_error("negative");
  return x;
}

__global__ void copy(Range range, float *out) { out[threadIdx.x] = range.get(threadIdx.x); }

template <class Call>
void tell(Call call) {
  try {
    call();
  } catch (const std::exception &error) {
    printf("caught: %s\n", error.what());
  }
}

int main() {
  Range range;
  float *x, host[4];
  tell([&] { range.get(-1); });
  tell([&] { range.at(9); });
  tell([&] { checked(-2); });
  cudaMalloc(&x, sizeof host);
  copy<<<1, 4>>>(range, x);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
  cudaFree(x);
}
