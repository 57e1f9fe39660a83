// out-of-bounds in line 6:
// says: reads word[3]
#include <cstdio>

__global__ void say(const char *word) {
  printf("said %s\n", word);
}

int main() {
  char *word;
  cudaMalloc(&word, 3);
  cudaMemcpy(word, "def", 3, cudaMemcpyHostToDevice);
  say<<<1, 1>>>(word);
  cudaDeviceSynchronize();
  cudaFree(word);
}
