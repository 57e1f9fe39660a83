// run:
// prints: before\nhello from thread 0 of block 0\nhello from thread 1 of block 0\nbetween\nnumbers 7 2.5 x abc and def\ntwo de (a kernel's printf has no %.*s) two\nafter\n
#include <cstdio>

__global__ void hello() { printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x); }

__global__ void numbers(int a, float b, char c, const char *word) {
  printf("numbers %d %.1f %c %s and %s\n", a, b, c, "abc", word);
  const char no_end[] = {'o', 'f'};
  printf("two %.2s %.*s two\n", word, 2, no_end);  // not on a GPU
}

int main() {
  printf("before\n");
  fflush(stdout);
  hello<<<1, 2>>>();
  cudaDeviceSynchronize();
  printf("between\n");
  fflush(stdout);
  char *word;
  cudaMalloc(&word, 4);
  cudaMemcpy(word, "def", 4, cudaMemcpyHostToDevice);
  numbers<<<1, 1>>>(7, 2.5f, 'x', word);
  cudaDeviceSynchronize();
  cudaFree(word);
  printf("after\n");
  return 0;
}
