#include "gpu/blas_library.hpp"

#include <dlfcn.h>

namespace tilelab::cuda {
namespace {

constexpr int not_transposed = 0;  // CUBLAS_OP_N
constexpr int pedantic = 2;        // CUBLAS_PEDANTIC_MATH
constexpr int tf32_math = 3;       // CUBLAS_TF32_TENSOR_OP_MATH

template <class Function>
void find_routine(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw DriverError(std::string("cuBLAS has no ") + name);
}

}  // namespace

BlasLibrary::BlasLibrary(const std::string& path, Arithmetic arithmetic) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw DriverError(std::string("cuBLAS cannot be loaded: ") + dlerror());
  int (*create)(Handle*) = nullptr;
  find_routine(library, create, "cublasCreate_v2");
  find_routine(library, destroy_, "cublasDestroy_v2");
  find_routine(library, sgemm_, "cublasSgemm_v2");
  if (const int status = create(&handle_); status != 0) {
    throw DriverError("cublasCreate failed with status " + std::to_string(status));
  }
  int (*set_math_mode)(Handle, int) = nullptr;
  find_routine(library, set_math_mode, "cublasSetMathMode");
  if (const int status = set_math_mode(handle_, arithmetic == Arithmetic::fp32 ? pedantic : tf32_math); status != 0) {
    throw DriverError("cublasSetMathMode failed with status " + std::to_string(status));
  }
}

BlasLibrary::~BlasLibrary() { destroy_(handle_); }

// cuBLAS is column-major. It reads a row-major matrix as its transpose, so we compute Cᵀ = Bᵀ·Aᵀ.
int BlasLibrary::multiply(int M, int N, int K, DeviceAddress A, DeviceAddress B, DeviceAddress C) const {
  const float one = 1, zero = 0;
  return sgemm_(handle_, not_transposed, not_transposed, N, M, K, &one, reinterpret_cast<const float*>(B), N,
                reinterpret_cast<const float*>(A), K, &zero, reinterpret_cast<float*>(C), N);
}

}  // namespace tilelab::cuda
