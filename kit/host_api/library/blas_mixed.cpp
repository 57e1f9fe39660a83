// The products of cuBLAS whose matrices have element types of their own: cublasGemmEx and cublasHgemm. Sums are made in double precision.
#include <algorithm>
#include <cstring>
#include <vector>

#include "host_api/blas_calls.hpp"
#include "host_api/library/blas_operands.hpp"
#include "simt/arithmetic/bfloat_bits.hpp"
#include "simt/arithmetic/half_bits.hpp"

using namespace tilelab_host;

namespace {

struct Matrix {
  void* first;
  cudaDataType_t type;
  Size lead;
};

Size bytes_of(cudaDataType_t type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 0;
}

template <typename Bits, typename Value>
std::vector<double> fetched(Transfers& device, const Matrix& matrix, Size rows, Size columns, Value value) {
  const auto here = device.fetch(static_cast<const Bits*>(matrix.first), rows, columns, matrix.lead);
  std::vector<double> values(here.size());
  std::transform(here.begin(), here.end(), values.begin(), value);
  return values;
}

std::vector<double> fetch(Transfers& device, const Matrix& matrix, Size rows, Size columns) {
  switch (matrix.type) {
    case CUDA_R_16F:
      return fetched<std::uint16_t>(device, matrix, rows, columns, [](auto bits) { return tilelab::simt::half_value(bits); });
    case CUDA_R_16BF:
      return fetched<std::uint16_t>(device, matrix, rows, columns, [](auto bits) { return tilelab::simt::bfloat_value(bits); });
    case CUDA_R_32F: return fetched<float>(device, matrix, rows, columns, [](float one) { return static_cast<double>(one); });
    default: return fetched<double>(device, matrix, rows, columns, [](double one) { return one; });
  }
}

template <typename Bits, typename Round>
void sent(Transfers& device, const Matrix& matrix, const std::vector<double>& values, Size rows, Size columns, Round round) {
  std::vector<Bits> here(values.size());
  std::transform(values.begin(), values.end(), here.begin(), round);
  device.send(static_cast<Bits*>(matrix.first), here, rows, columns, matrix.lead);
}

void send(Transfers& device, const Matrix& matrix, const std::vector<double>& values, Size rows, Size columns) {
  switch (matrix.type) {
    case CUDA_R_16F:
      return sent<std::uint16_t>(device, matrix, values, rows, columns, [](double one) { return tilelab::simt::half_bits(one); });
    case CUDA_R_16BF:
      return sent<std::uint16_t>(device, matrix, values, rows, columns, [](double one) { return tilelab::simt::bfloat_bits(one); });
    case CUDA_R_32F: return sent<float>(device, matrix, values, rows, columns, [](double one) { return static_cast<float>(one); });
    default: return sent<double>(device, matrix, values, rows, columns, [](double one) { return one; });
  }
}

// alpha or beta, whose type follows from that of the sums.
double factor(Transfers& device, const void* at, cublasComputeType_t sums) {
  if (sums == CUBLAS_COMPUTE_64F) return device.number(static_cast<const double*>(at));
  if (sums != CUBLAS_COMPUTE_16F) return static_cast<double>(device.number(static_cast<const float*>(at)));
  return tilelab::simt::half_value(device.number(static_cast<const std::uint16_t*>(at)));
}

struct MixedProduct {
  bool turn_a, turn_b;
  int m, n, k;
  const void *alpha, *beta;
  Matrix a, b, c;
  cublasComputeType_t sums;
};

cublasStatus_t multiply(cublasHandle_t handle, const MixedProduct& p, std::uintptr_t at) {
  Transfers device(handle, at);
  const auto fits = [](const Matrix& one, int rows) { return one.lead >= static_cast<Size>(std::max(1, rows)); };
  device.require(p.m >= 0 && p.n >= 0 && p.k >= 0 && fits(p.a, p.turn_a ? p.k : p.m) && fits(p.b, p.turn_b ? p.n : p.k) && fits(p.c, p.m));
  for (const Matrix& one : {p.a, p.b, p.c})
    if (bytes_of(one.type) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const double alpha = factor(device, p.alpha, p.sums), beta = factor(device, p.beta, p.sums);
  if (device.failed() || p.m == 0 || p.n == 0) return device.status();
  const Size m = static_cast<Size>(p.m), n = static_cast<Size>(p.n), k = static_cast<Size>(p.k);
  const auto a = fetch(device, p.a, p.turn_a ? k : m, p.turn_a ? m : k), b = fetch(device, p.b, p.turn_b ? n : k, p.turn_b ? k : n);
  std::vector<double> c(m * n);
  if (beta != 0.0) c = fetch(device, p.c, m, n);
  if (device.failed()) return device.status();
  std::vector<double> column(m);
  for (Size j = 0; j < n; ++j) {
    std::fill(column.begin(), column.end(), 0.0);
    for (Size l = 0; l < k; ++l) {
      const double right = p.turn_b ? b[l * n + j] : b[j * k + l];
      for (Size i = 0; i < m; ++i) column[i] += (p.turn_a ? a[i * k + l] : a[l * m + i]) * right;
    }
    for (Size i = 0; i < m; ++i) c[j * m + i] = alpha * column[i] + (beta != 0.0 ? beta * c[j * m + i] : 0.0);
  }
  send(device, p.c, c, m, n);
  return device.status();
}

Matrix matrix(const void* first, cudaDataType_t type, int lead) {
  return {const_cast<void*>(first), type, static_cast<Size>(std::max(lead, 0))};
}

}  // namespace

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b, int ldb, const void* beta,
                            void* c, cudaDataType_t type_c, int ldc, cublasComputeType_t sums, cublasGemmAlgo_t) {
  return multiply(handle,
                  {op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, alpha, beta, matrix(a, type_a, lda), matrix(b, type_b, ldb),
                   matrix(c, type_c, ldc), sums},
                  TILELAB_AT);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                           const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  return multiply(handle,
                  {op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, alpha, beta, matrix(a, CUDA_R_16F, lda), matrix(b, CUDA_R_16F, ldb),
                   matrix(c, CUDA_R_16F, ldc), CUBLAS_COMPUTE_16F},
                  TILELAB_AT);
}
