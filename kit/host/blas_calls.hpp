// A part of cuBLAS: vectors and products of single and double precision, products of others. Matrices lie column by column. The products
// are formed on the host, with sums in double precision, so last digits differ from a GPU's. What is not declared here is refused by name.
#pragma once

#include "runtime_types.hpp"

enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
typedef cudaDataType_t cudaDataType;

typedef struct cublasContext* cublasHandle_t;
// clang-format off: a table reads better as one
#define TILELAB_BLAS_STATUSES(X) \
  X(CUBLAS_STATUS_SUCCESS, 0) \
  X(CUBLAS_STATUS_NOT_INITIALIZED, 1) \
  X(CUBLAS_STATUS_ALLOC_FAILED, 3) \
  X(CUBLAS_STATUS_INVALID_VALUE, 7) \
  X(CUBLAS_STATUS_ARCH_MISMATCH, 8) \
  X(CUBLAS_STATUS_MAPPING_ERROR, 11) \
  X(CUBLAS_STATUS_EXECUTION_FAILED, 13) \
  X(CUBLAS_STATUS_INTERNAL_ERROR, 14) \
  X(CUBLAS_STATUS_NOT_SUPPORTED, 15) \
  X(CUBLAS_STATUS_LICENSE_ERROR, 16)
// clang-format on
#define TILELAB_BLAS_STATUS(name, number) name = number,
enum cublasStatus_t { TILELAB_BLAS_STATUSES(TILELAB_BLAS_STATUS) };
#undef TILELAB_BLAS_STATUS
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
};

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
const char* cublasGetStatusString(cublasStatus_t status);
const char* cublasGetStatusName(cublasStatus_t status);

// Between host and device. `element_bytes` is the size of one element, distances are in elements.
cublasStatus_t cublasSetVector(int count, int element_bytes, const void* host, int host_step, void* device, int device_step);
cublasStatus_t cublasGetVector(int count, int element_bytes, const void* device, int device_step, void* host, int host_step);
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* host, int host_rows, void* device, int device_rows);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device, int device_rows, void* host, int host_rows);

// The same for both types: what follows cublasS or cublasD, parameters, and the parameters' names.
// clang-format off: a table reads better as one
#define TILELAB_BLAS(CALL, S, T) \
  CALL(S, axpy, (cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy), \
       handle, n, alpha, x, incx, y, incy) \
  CALL(S, scal, (cublasHandle_t handle, int n, const T* alpha, T* x, int incx), handle, n, alpha, x, incx) \
  CALL(S, copy, (cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy), handle, n, x, incx, y, incy) \
  CALL(S, dot, (cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result), \
       handle, n, x, incx, y, incy, result) \
  CALL(S, gemv, (cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha, const T* a, int lda, const T* x, int incx, \
                 const T* beta, T* y, int incy), \
       handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy) \
  CALL(S, gemm, (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const T* alpha, \
                 const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc), \
       handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
// clang-format on
#define TILELAB_BLAS_DECLARATION(S, name, parameters, ...) cublasStatus_t cublas##S##name parameters;
TILELAB_BLAS(TILELAB_BLAS_DECLARATION, S, float)
TILELAB_BLAS(TILELAB_BLAS_DECLARATION, D, double)
#undef TILELAB_BLAS_DECLARATION

// Of elements of the types said; alpha and beta have the type of the sums. Of the second all are __half, which not every file has.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b, int ldb, const void* beta,
                            void* c, cudaDataType_t type_c, int ldc, cublasComputeType_t sums, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                           const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
}
// As older programs write it: the sums' type is one of data.
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                   const void* alpha, const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b,
                                   int ldb, const void* beta, void* c, cudaDataType_t type_c, int ldc, cudaDataType_t sums,
                                   cublasGemmAlgo_t algorithm) {
  if (sums != CUDA_R_16F && sums != CUDA_R_32F && sums != CUDA_R_64F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const cublasComputeType_t type = sums == CUDA_R_16F ? CUBLAS_COMPUTE_16F : sums == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, type, algorithm);
}

// cuBLAS's own name of one that a sample calls by it.
#define cublasDgemm_v2 cublasDgemm
