// run:
// prints: GemmEx 2 8 14 20, Hgemm 1 3.5 6 8.5\n
// A product of two matrices of half precision, with a result in single and in half precision.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cstdio>

int main() {
  const int n = 2;
  __half h[n * n], eye[n * n];
  for (int i = 0; i < n * n; ++i) {
    h[i] = __float2half(1.0f + 2.5f * i);
    eye[i] = __float2half(i % (n + 1) == 0 ? 1.0f : 0.0f);
  }
  __half *a, *b, *c;
  float *d;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof h);
  cudaMalloc(&c, sizeof h);
  cudaMalloc(&d, n * n * sizeof(float));
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(b, eye, sizeof eye, cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float alpha = 2.4f, beta = 0.0f;
  const __half one = __float2half(1.0f), none = __float2half(0.0f);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, CUDA_R_16F, n, b, CUDA_R_16F, n, &beta, d, CUDA_R_32F, n,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
  cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &none, c, n);
  float singles[n * n];
  cudaMemcpy(singles, d, sizeof singles, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  printf("GemmEx %.0f %.0f %.0f %.0f, ", singles[0], singles[1], singles[2], singles[3]);
  printf("Hgemm %g %g %g %g\n", __half2float(h[0]), __half2float(h[1]), __half2float(h[2]), __half2float(h[3]));
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFree(d);
}
