// run: 2 3
// prints: 2 to the power of 8 times 3 is 768\n
#include <cstdio>
#include <cstdlib>

template <int TIMES>
__global__ void doubled(long *x) {
#pragma unroll
  for (int i = 0; i < TIMES; ++i) x[threadIdx.x] *= 2;
}

#define LAUNCH(times) \
  case times:         \
    doubled<times><<<1, threads>>>(x); \
    break

void launch(int times, int threads, long *x) {
  switch (times) {
    LAUNCH(1);
    LAUNCH(2);
    LAUNCH(4);
    default:
      printf("no kernel for %d\n", times);
  }
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  long numbers[4] = {1, 1, 1, argc > 2 ? atol(argv[2]) : 1}, *x;
  cudaMalloc(&x, sizeof numbers);
  cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  auto twice = [&](int how_often) { launch(how_often, 4, x); };
  for (int i = 0; i < 8 / times; ++i) twice(times);
  cudaMemcpy(numbers, x, sizeof numbers, cudaMemcpyDeviceToHost);
  printf("2 to the power of 8 times %s is %ld\n", argv[2], numbers[3]);
  cudaFree(x);
}
