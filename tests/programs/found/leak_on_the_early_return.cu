// leak in line 11: -1
// says: d_x
#include <cstdio>
#include <cstdlib>

__global__ void root(double *x) { x[threadIdx.x] = sqrt(x[threadIdx.x]); }

int work(double start) {
  double x[8], *d_x;
  for (double &one : x) one = start;
  cudaMalloc(&d_x, sizeof(x));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  if (start < 0) {
    printf("no root of a negative number\n");
    return 0;
  }
  root<<<1, 8>>>(d_x);
  cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost);
  printf("%g\n", x[7]);
  cudaFree(d_x);
  return 0;
}

int main(int argc, char **argv) { return work(argc > 1 ? atof(argv[1]) : 4); }
