// Implements blas_calls.hpp: operands come from the device, results go back, and between them is a loop. Operands that BLAS does not
// read, as C where beta is 0, are not copied.
#include "host/blas_calls.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <type_traits>
#include <vector>

#include "executor/arithmetic/half_bits.hpp"
#include "host/graphs/graph.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

// The operands of a call of cuBLAS: brought from the device as vectors of the host, and sent back.

struct cublasContext {
  cudaStream_t stream = nullptr;
};

namespace tilelab_host {

using Size = std::size_t;

// What a call does with the device: copies at one place of the program, until one of them fails.
class Transfers {
 public:
  Transfers(cublasHandle_t handle, const Call& call) : call_(call) {
    if (!handle)
      status_ = CUBLAS_STATUS_NOT_INITIALIZED;
    else if (graph_of_capture(handle->stream) != nullptr)
      Session::open().refuse("Functions of cuBLAS cannot be captured here: they run on the host, at once.", call);
  }
  cublasStatus_t status() const { return status_; }
  bool failed() const { return status_ != CUBLAS_STATUS_SUCCESS; }
  void require(bool valid) {
    if (!valid && !failed()) status_ = CUBLAS_STATUS_INVALID_VALUE;
  }

  // Columns of `rows` elements, `lead` apart on the device; without gaps here.
  template <typename T>
  std::vector<T> fetch(const T* from, Size rows, Size columns, Size lead) {
    std::vector<T> here(failed() ? 0 : rows * columns);
    if (!here.empty()) move(here.data(), rows * sizeof(T), from, lead * sizeof(T), columns, rows * sizeof(T), cudaMemcpyDeviceToHost, from);
    return here;
  }
  template <typename T>
  void send(T* to, const std::vector<T>& here, Size rows, Size columns, Size lead) {
    if (!failed() && !here.empty())
      move(to, lead * sizeof(T), here.data(), rows * sizeof(T), columns, rows * sizeof(T), cudaMemcpyHostToDevice, to);
  }
  // A number of the host's or of the device's.
  template <typename T>
  T number(const T* from) {
    require(from != nullptr);
    if (failed()) return T{};
    return of_device(from) ? fetch(from, 1, 1, 1).at(0) : *from;
  }
  template <typename T>
  void answer(T* to, T value) {
    require(to != nullptr);
    if (failed()) return;
    if (of_device(to))
      send(to, std::vector<T>{value}, 1, 1, 1);
    else
      *to = value;
  }

 private:
  static bool of_device(const void* address) { return is_device(address) || is_shared_with_device(address); }
  void move(void* to, Size to_pitch, const void* from, Size from_pitch, Size rows, Size row_bytes, cudaMemcpyKind kind,
            const void* device) {
    if (!of_device(device)) {
      (void)request("note", call_, {{"kind", "host-pointer-on-device"}, {"address", number_of(device)}});
      status_ = CUBLAS_STATUS_EXECUTION_FAILED;
    } else if (carry_out({{to, to_pitch}, {from, from_pitch}, rows, row_bytes, 1, kind}, {}, call_) != cudaSuccess) {
      status_ = CUBLAS_STATUS_EXECUTION_FAILED;
    }
  }

  Call call_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

// A vector is a matrix of one row, whose columns are its step apart. BLAS counts from the other end where the step is negative.
template <typename T>
struct Strided {
  T* first;
  int count, step;
  Size distance() const { return static_cast<Size>(std::abs(step)); }
};
template <typename T>
std::vector<std::remove_const_t<T>> fetch(Transfers& device, Strided<T> x) {
  device.require(x.step != 0);
  auto here = device.fetch<std::remove_const_t<T>>(x.first, 1, static_cast<Size>(std::max(x.count, 0)), x.distance());
  if (x.step < 0) std::reverse(here.begin(), here.end());
  return here;
}
template <typename T>
void send(Transfers& device, Strided<T> x, std::vector<T> here) {
  if (x.step < 0) std::reverse(here.begin(), here.end());
  device.send(x.first, here, 1, here.size(), x.distance());
}

}  // namespace tilelab_host

namespace {

struct Matrix {
  void* first;
  cudaDataType_t type;
  Size lead;
};

Size bytes_of(cudaDataType_t type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 0;
}

// `use(Bits, value, bits)`: how elements of a type lie in memory, and what makes numbers of them and back.
template <typename Use>
auto with_elements(cudaDataType_t type, const Use& use) {
  using namespace tilelab::simt;
  switch (type) {
    case CUDA_R_16F: return use(std::uint16_t{}, [](auto bits) { return half_value(bits); }, [](double one) { return half_bits(one); });
    case CUDA_R_16BF:
      return use(std::uint16_t{}, [](auto bits) { return bfloat_value(bits); }, [](double one) { return bfloat_bits(one); });
    case CUDA_R_32F:
      return use(float{}, [](float one) { return static_cast<double>(one); }, [](double one) { return static_cast<float>(one); });
    default: return use(double{}, std::identity(), std::identity());
  }
}

std::vector<double> fetch(Transfers& device, const Matrix& matrix, Size rows, Size columns) {
  return with_elements(matrix.type, [&](auto zero, auto value, auto) {
    const auto here = device.fetch(static_cast<const decltype(zero)*>(matrix.first), rows, columns, matrix.lead);
    std::vector<double> values(here.size());
    std::transform(here.begin(), here.end(), values.begin(), value);
    return values;
  });
}

void send(Transfers& device, const Matrix& matrix, const std::vector<double>& values, Size rows, Size columns) {
  with_elements(matrix.type, [&](auto zero, auto, auto bits) {
    std::vector<decltype(zero)> here(values.size());
    std::transform(values.begin(), values.end(), here.begin(), bits);
    device.send(static_cast<decltype(zero)*>(matrix.first), here, rows, columns, matrix.lead);
  });
}

// alpha or beta, whose type follows from that of the sums.
double factor(Transfers& device, const void* place, cublasComputeType_t sums) {
  if (sums == CUBLAS_COMPUTE_64F) return device.number(static_cast<const double*>(place));
  if (sums != CUBLAS_COMPUTE_16F) return static_cast<double>(device.number(static_cast<const float*>(place)));
  return tilelab::simt::half_value(device.number(static_cast<const std::uint16_t*>(place)));
}

// Of matrices of any types. Sums are in double precision.
struct Product {
  bool turn_a, turn_b;
  int m, n, k;
  const void *alpha, *beta;
  Matrix a, b, c;
  cublasComputeType_t sums;
};

cublasStatus_t multiply(cublasHandle_t handle, const Product& p, const Call& call) {
  Transfers device(handle, call);
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

template <typename T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy, const Call& call) {
  Transfers device(handle, call);
  const T factor = device.number(alpha);
  const auto from = fetch(device, Strided<const T>{x, n, incx});
  auto to = fetch(device, Strided<T>{y, n, incy});
  for (Size i = 0; i < to.size() && i < from.size(); ++i) to[i] = std::fma(factor, from[i], to[i]);
  send(device, Strided<T>{y, n, incy}, to);
  return device.status();
}
template <typename T>
cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx, const Call& call) {
  Transfers device(handle, call);
  const T factor = device.number(alpha);
  auto all = fetch(device, Strided<T>{x, n, incx});
  for (T& one : all) one *= factor;
  send(device, Strided<T>{x, n, incx}, all);
  return device.status();
}
template <typename T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy, const Call& call) {
  Transfers device(handle, call);
  send(device, Strided<T>{y, n, incy}, fetch(device, Strided<const T>{x, n, incx}));
  return device.status();
}
template <typename T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result, const Call& call) {
  Transfers device(handle, call);
  const auto one = fetch(device, Strided<const T>{x, n, incx}), other = fetch(device, Strided<const T>{y, n, incy});
  double sum = 0;
  for (Size i = 0; i < one.size() && i < other.size(); ++i) sum += static_cast<double>(one[i]) * static_cast<double>(other[i]);
  device.answer(result, static_cast<T>(sum));
  return device.status();
}
template <typename T>
constexpr cudaDataType_t type_of = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
template <typename T>
constexpr cublasComputeType_t sums_of = std::is_same_v<T, float> ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F;

template <typename T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const T* alpha, const T* a,
                    int lda, const T* b, int ldb, const T* beta, T* c, int ldc, const Call& call) {
  return multiply(handle,
                  {op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, alpha, beta, matrix(a, type_of<T>, lda), matrix(b, type_of<T>, ldb),
                   matrix(c, type_of<T>, ldc), sums_of<T>},
                  call);
}
template <typename T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha, const T* a, int lda, const T* x, int incx,
                    const T* beta, T* y, int incy, const Call& call) {
  Transfers device(handle, call);
  const bool turned = op != CUBLAS_OP_N;
  device.require(m >= 0 && n >= 0 && lda >= std::max(1, m));
  const T factor = device.number(alpha), kept = device.number(beta);
  const auto matrix = device.fetch(a, static_cast<Size>(std::max(m, 0)), static_cast<Size>(std::max(n, 0)), static_cast<Size>(lda));
  const auto from = fetch(device, Strided<const T>{x, turned ? m : n, incx});
  std::vector<T> to(static_cast<Size>(std::max(turned ? n : m, 0)));
  if (kept != T{}) to = fetch(device, Strided<T>{y, turned ? n : m, incy});
  device.require(incy != 0);
  if (device.failed()) return device.status();
  const auto left = [&](Size row, Size column) {  // of op(a), which lies column by column
    const Size rows = static_cast<Size>(m);
    return static_cast<double>(turned ? matrix[row * rows + column] : matrix[column * rows + row]);
  };
  for (Size i = 0; i < to.size(); ++i) {
    double sum = 0;
    for (Size j = 0; j < from.size(); ++j) sum += left(i, j) * static_cast<double>(from[j]);
    to[i] = static_cast<T>(factor * sum + (kept != T{} ? static_cast<double>(kept) * static_cast<double>(to[i]) : 0.0));
  }
  send(device, Strided<T>{y, static_cast<int>(to.size()), incy}, to);
  return device.status();
}

cublasStatus_t move_elements(void* to, int to_step, const void* from, int from_step, int rows, int columns, int bytes, cudaMemcpyKind kind,
                             const Call& call) {
  if (rows < 0 || columns < 0 || bytes <= 0 || to_step <= 0 || from_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const Size size = static_cast<Size>(bytes);
  const cudaError_t error = carry_out({{to, static_cast<Size>(to_step) * size},
                                       {from, static_cast<Size>(from_step) * size},
                                       static_cast<Size>(columns),
                                       static_cast<Size>(rows) * size,
                                       1,
                                       kind},
                                      {}, call);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  if (!version) return CUBLAS_STATUS_INVALID_VALUE;
  *version = 120800;
  return CUBLAS_STATUS_SUCCESS;
}
// Where a number lies is seen by its address.
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define TILELAB_BLAS_STATUS_NAME(name, number) \
  case name: return #name;
    TILELAB_BLAS_STATUSES(TILELAB_BLAS_STATUS_NAME)
#undef TILELAB_BLAS_STATUS_NAME
  }
  return "<unknown>";
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

cublasStatus_t cublasSetVector(int count, int element_bytes, const void* host, int host_step, void* device, int device_step) {
  return move_elements(device, device_step, host, host_step, 1, count, element_bytes, cudaMemcpyHostToDevice, TILELAB_CALL);
}
cublasStatus_t cublasGetVector(int count, int element_bytes, const void* device, int device_step, void* host, int host_step) {
  return move_elements(host, host_step, device, device_step, 1, count, element_bytes, cudaMemcpyDeviceToHost, TILELAB_CALL);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* host, int host_rows, void* device, int device_rows) {
  return move_elements(device, device_rows, host, host_rows, rows, columns, element_bytes, cudaMemcpyHostToDevice, TILELAB_CALL);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device, int device_rows, void* host, int host_rows) {
  return move_elements(host, host_rows, device, device_rows, rows, columns, element_bytes, cudaMemcpyDeviceToHost, TILELAB_CALL);
}

#define TILELAB_BLAS_DEFINITION(S, name, parameters, ...) \
  cublasStatus_t cublas##S##name parameters { return name(__VA_ARGS__, TILELAB_CALL); }
TILELAB_BLAS(TILELAB_BLAS_DEFINITION, S, float)
TILELAB_BLAS(TILELAB_BLAS_DEFINITION, D, double)

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b, int ldb, const void* beta,
                            void* c, cudaDataType_t type_c, int ldc, cublasComputeType_t sums, cublasGemmAlgo_t) {
  return multiply(handle,
                  {op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, alpha, beta, matrix(a, type_a, lda), matrix(b, type_b, ldb),
                   matrix(c, type_c, ldc), sums},
                  TILELAB_CALL);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                           const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  return multiply(handle,
                  {op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, alpha, beta, matrix(a, CUDA_R_16F, lda), matrix(b, CUDA_R_16F, ldb),
                   matrix(c, CUDA_R_16F, ldc), CUBLAS_COMPUTE_16F},
                  TILELAB_CALL);
}
