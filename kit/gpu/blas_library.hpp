// A vendor's matrix product, cuBLAS's, which is timed beside kernels. Like the driver, it is found when the program runs, so that
// nothing here needs a toolkit. Only a course's own measurements use it: a submission never reaches it.
#pragma once

#include <string>

#include "gpu/driver_api.hpp"

namespace tilelab::cuda {

// How products are computed. tf32: tensor cores may read each float with 10 bits of fraction.
enum class Arithmetic { fp32, tf32 };

class BlasLibrary {
 public:
  // Loads the library at `path` for the current context. Throws DriverError.
  BlasLibrary(const std::string& path, Arithmetic arithmetic);
  ~BlasLibrary();
  BlasLibrary(const BlasLibrary&) = delete;
  BlasLibrary& operator=(const BlasLibrary&) = delete;

  // Queues C = A·B on the default stream: row-major fp32, A M×K, B K×N, C M×N. Arithmetic::fp32 is fp32 in every step
  // (CUBLAS_PEDANTIC_MATH), whatever the environment asks for. Returns cuBLAS's status; 0 is success.
  int multiply(int M, int N, int K, DeviceAddress A, DeviceAddress B, DeviceAddress C) const;

 private:
  struct HandleTag;
  using Handle = HandleTag*;
  Handle handle_ = nullptr;
  int (*destroy_)(Handle) = nullptr;
  int (*sgemm_)(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int) = nullptr;
};

}  // namespace tilelab::cuda
