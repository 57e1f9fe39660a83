// The program's connection to the conductor, and what the library's functions share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host_api/runtime_device.hpp"
#include "host_api/runtime_graphs.hpp"
#include "host_api/runtime_types.hpp"
#include "protocol/channel.hpp"

// The library's side of the conversation with the conductor: one request, one reply, in order, over descriptor 3; bytes of copies go
// through the staging memory, descriptor 4. The rules are in kit/program/host_request.hpp.
//
// This code runs inside the student's program, so nothing here decides anything: the conductor checks what it is told.

// Where the calling API function returns to, in the program's own code.
#define TILELAB_AT (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)))

namespace tilelab_host {

using nlohmann::json;

struct Reply {
  json fields;
  std::vector<tilelab::Descriptor> descriptors;

  cudaError_t error() const { return static_cast<cudaError_t>(fields.value("error", 0)); }
};

// Pageable memory of the program, as rows that need not follow each other. In bytes.
struct HostRows {
  std::uintptr_t first;
  std::size_t rows, row_bytes, pitch;
};

class Session {
 public:
  // Connects at the first call. Without a conductor the program ends with a message.
  static Session& open();

  Reply ask(const json& request);
  // The request's error, for requests whose reply says nothing else.
  cudaError_t call(const json& request) { return ask(request).error(); }
  // An error that the library found by itself. It becomes the last error.
  cudaError_t raise(cudaError_t error, const char* call, std::uintptr_t at);

  // The program cannot go on here: the run ends, and its user is told this sentence.
  [[noreturn]] void refuse(const std::string& sentence, std::uintptr_t at);

  // A request whose reply may be followed by the bytes of `rows`, which are the host's side. Where the program may not read or write
  // them, it ends as by a fault of its own.
  Reply move(const json& request, const HostRows& rows);

  void say_goodbye(int status);
  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  Session();
  Reply exchange(const json& request);
  void send_rows(const HostRows& rows);
  void fetch_rows(const HostRows& rows);

  std::recursive_mutex mutex_;  // a handler of a fault may interrupt a call of the same thread
  tilelab::Channel channel_;
  std::size_t memory_bytes_ = 0, staging_bytes_ = 0;
};

// Address ranges of the conductor's memory.
inline constexpr std::uintptr_t device_first = 0x200000000000, device_end = 0x280000000000, shared_end = 0x300000000000;
inline bool is_device(const void* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return number >= device_first && number < device_end;
}
inline bool is_shared_with_device(const void* address) {  // managed or page-locked
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return number >= device_end && number < shared_end;
}

template <typename T>
std::uint64_t number_of(T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// A call that CUDA refuses: the error that it returns, in the program's line `at`.
inline cudaError_t refuse(const char* call, std::uintptr_t at, cudaError_t error = cudaErrorInvalidValue) {
  return Session::open().raise(error, call, at);
}

// The one device that programs see: what cudaGetDeviceProperties answers.

// Total memory is the conductor's; everything else is as an H100 with 80 GB of memory (SXM) has it.
const cudaDeviceProp& the_device();

// The copies and fills behind every function that moves bytes between the host and the device: rows that need not follow each other.

struct CopyOrder {
  cudaMemcpyKind kind;
  cudaStream_t stream = nullptr;
  bool async = false;
  std::uint64_t graph = 0;           // the launch of a graph that it is a part of; 0: none
  const char* planned_by = nullptr;  // only looked at: the function that was called
};

// Sizes and pitches are in bytes. `at`: where the API function returns to.
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows, std::size_t row_bytes,
                      CopyOrder order, std::uintptr_t at);
cudaError_t copy_slices(const cudaMemcpy3DParms& what, CopyOrder order, std::uintptr_t at);
cudaError_t fill_rows(const cudaMemsetParams& what, CopyOrder order, std::uintptr_t at);

// Where a copy begins in an array. `x` counts bytes.
struct ArrayPlace {
  std::size_t x = 0, y = 0, z = 0;
};
// Memory, or an array by its handle.
struct CopySide {
  const void* address;
  std::size_t pitch;  // of memory
  std::optional<ArrayPlace> in_array;
};
struct CopyExtent {
  std::size_t rows, row_bytes, slices = 1;  // slices: that the whole copy has left; this is the first of them
  bool is_line = false;                     // in arrays, the bytes run on from one row to the next
};
cudaError_t copy_sides(const CopySide& to, const CopySide& from, const CopyExtent& extent, CopyOrder order, std::uintptr_t at);

// Copies with an array on one side or on both.

// cudaMemcpy3D where an array takes part: the extent counts the array's texels.
cudaError_t copy_with_arrays(const cudaMemcpy3DParms& what, CopyOrder order, std::uintptr_t at);

}  // namespace tilelab_host
