// The error macro of many lecture notes, C style throughout, and prints left in for debugging.
#include <stdio.h>
#include <stdlib.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}

#define BLOCK_SIZE 128

__global__ void vecAddKernel(float *A, float *B, float *C, int n) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i == 0) printf("first element: %f + %f\n", A[0], B[0]);
  if (i < n) {
    C[i] = A[i] + B[i];
  }
}

static float *readFile(const char *path, int *n) {
  FILE *f = fopen(path, "rb");
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  float *data = (float *)malloc(size);
  *n = (int)(size / sizeof(float));
  if (fread(data, sizeof(float), *n, f) != (size_t)*n) exit(3);
  fclose(f);
  return data;
}

void vecAdd(float *h_A, float *h_B, float *h_C, int n) {
  int size = n * sizeof(float);
  float *d_A, *d_B, *d_C;

  gpuErrchk(cudaMalloc((void **)&d_A, size));
  gpuErrchk(cudaMalloc((void **)&d_B, size));
  gpuErrchk(cudaMalloc((void **)&d_C, size));
  gpuErrchk(cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice));
  gpuErrchk(cudaMemcpy(d_B, h_B, size, cudaMemcpyHostToDevice));

  dim3 dimGrid(ceil(n / (float)BLOCK_SIZE), 1, 1);
  dim3 dimBlock(BLOCK_SIZE, 1, 1);
  vecAddKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C, n);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());

  gpuErrchk(cudaMemcpy(h_C, d_C, size, cudaMemcpyDeviceToHost));
  gpuErrchk(cudaFree(d_A));
  gpuErrchk(cudaFree(d_B));
  gpuErrchk(cudaFree(d_C));
}

int main(int argc, char **argv) {
  int n, m;
  float *h_A = readFile(argv[1], &n);
  float *h_B = readFile(argv[2], &m);
  float *h_C = (float *)malloc(n * sizeof(float));
  printf("adding %d numbers\n", n);
  vecAdd(h_A, h_B, h_C, n);
  printf("the last sum is %f\n", h_C[n - 1]);
  FILE *f = fopen(argv[3], "wb");
  fwrite(h_C, sizeof(float), n, f);
  fclose(f);
  free(h_A);
  free(h_B);
  free(h_C);
  return 0;
}
