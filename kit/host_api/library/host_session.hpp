// The library's side of the conversation with the conductor: one request, one reply, in order, over descriptor 3; bytes of copies go
// through the staging memory, descriptor 4. The rules are in kit/program/host/host_protocol.hpp.
//
// This code runs inside the student's program, so nothing here decides anything: the conductor checks what it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "host_api/error_codes.hpp"
#include "protocol/channel.hpp"

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

}  // namespace tilelab_host
