// The errors that CUDA would have returned: the last one, and one that a kernel leaves behind, which every later call returns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/host/host_protocol.hpp"

namespace tilelab::program {

struct ApiError {
  std::string op;
  int error = 0;
  std::uint64_t at = 0;
  bool seen = false;              // the program asked for the last error afterwards
  std::uint64_t seen_at = 0;      // where it first asked
  std::uint64_t returned_at = 0;  // of a kernel's: the first later call that returned it; 0: none did
  std::uint64_t count = 1;
};

class ApiErrors {
 public:
  // A call fails. Returns the error.
  int fail(const std::string& op, int error, std::uint64_t at);
  int fail(const std::string& op, CudaError error, std::uint64_t at) { return fail(op, static_cast<int>(error), at); }
  // A kernel has failed. Nobody knows before the host waits for it.
  void fail_later(CudaError error, std::uint64_t at);
  // The host waits. Returns the error that a kernel has left behind, or 0.
  int arrive(std::uint64_t at);
  int sticky() const { return sticky_; }
  int last(bool peek, std::uint64_t at = 0);
  void reset();  // the device: what a kernel left behind is gone
  const std::vector<ApiError>& all() const { return all_; }
  bool is_whole() const { return is_whole_; }

 private:
  static constexpr std::size_t most = 1000;
  ApiError* note(const std::string& op, int error, std::uint64_t at);

  std::vector<ApiError> all_;
  int last_ = 0, sticky_ = 0, later_ = 0;
  std::size_t sticky_is_ = most;  // in `all_`
  bool is_whole_ = true;
};

}  // namespace tilelab::program
