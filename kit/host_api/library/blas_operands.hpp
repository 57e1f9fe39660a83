// The operands of a call of cuBLAS: brought from the device as vectors of the host, and sent back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "host_api/blas_calls.hpp"
#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/row_copies.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
};

namespace tilelab_host {

using Size = std::size_t;

// What a call does with the device: copies at one place of the program, until one of them fails.
class Transfers {
 public:
  Transfers(cublasHandle_t handle, std::uintptr_t at) : at_(at) {
    if (!handle)
      status_ = CUBLAS_STATUS_NOT_INITIALIZED;
    else if (capture_info(handle->stream).status != cudaStreamCaptureStatusNone)
      Session::open().refuse("Functions of cuBLAS cannot be captured here: they run on the host, at once.", at);
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
      (void)Session::open().call({{"op", "note"}, {"kind", "host-pointer-on-device"}, {"address", number_of(device)}, {"at", at_}});
      status_ = CUBLAS_STATUS_EXECUTION_FAILED;
    } else if (copy_rows(to, to_pitch, from, from_pitch, rows, row_bytes, {kind}, at_) != cudaSuccess) {
      status_ = CUBLAS_STATUS_EXECUTION_FAILED;
    }
  }

  std::uintptr_t at_;
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
