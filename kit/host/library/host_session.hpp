// The library's side of the conversation with the broker: one request, one reply, in order, over descriptor 3; bytes of copies go
// through the staging memory, descriptor 4. The rules are in kit/program/host_request.hpp. And what the library's functions share.
//
// This code runs inside the student's program, so nothing here decides anything: the broker checks what it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/runtime_device.hpp"
#include "host/runtime_graphs.hpp"
#include "host/runtime_kernels.hpp"
#include "host/runtime_types.hpp"
#include "protocol/channel.hpp"

// In a function of CUDA: the program's call of it.
#define TILELAB_AT (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)))
#define TILELAB_CALL (::tilelab_host::called(__func__, TILELAB_AT))

namespace tilelab_host {

using nlohmann::json;

// The function of CUDA that the program has called, and where it returns to in the program's own code.
struct Call {
  const char* name = "";
  std::uintptr_t at = 0;
  std::uint64_t graph = 0;  // the launch of a graph that it is a part of; 0: none
  bool is_planned = false;  // only looked at, for a node of a graph

  Call planned() const { return {name, at, graph, true}; }
};

// Tells of a block of the host's memory that was written past its end: fault_watch.cpp.
void look_at_guards(bool at_end = false);
// First, before anything of ours is used: an overrun may reach that as well.
inline Call called(const char* name, std::uintptr_t at) {
  look_at_guards();
  return {name, at};
}

struct Reply {
  json fields;
  std::vector<tilelab::Descriptor> descriptors;

  cudaError_t error() const { return static_cast<cudaError_t>(fields.value("error", 0)); }
  // A number, or a pointer that is one of the broker's numbers.
  template <typename T>
  T value(const char* key) const {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<T>(fields.value(key, std::uintptr_t{0}));
    else
      return fields.value(key, T{});
  }
};

// Pageable memory of the program, as rows that need not follow each other. In bytes.
struct HostRows {
  std::uintptr_t first;
  std::size_t rows, row_bytes, pitch;
};

class Session {
 public:
  // Connects at the first call. Without a broker the program ends with a message.
  static Session& open();

  Reply ask(const json& request);
  // The program cannot go on here: the run ends, and its user is told this sentence.
  [[noreturn]] void refuse(const std::string& sentence, const Call& call);

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

// Address ranges of the broker's memory.
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

// A request that the program's call makes.
Reply ask(const char* op, const Call& call, json fields = json::object());
// One whose reply may be followed by the bytes of `rows`, which are the host's side. Where the program may not read or write them, it ends
// as by a fault of its own.
Reply move(const char* op, const Call& call, json fields, const HostRows& rows);
// The same, where the reply says nothing but its error.
inline cudaError_t request(const char* op, const Call& call, json fields = json::object()) {
  return ask(op, call, std::move(fields)).error();
}
// The same, where it says one thing more, which stays as it was on an error.
template <typename T>
cudaError_t request(const char* op, const Call& call, json fields, const char* key, T& value) {
  const Reply reply = ask(op, call, std::move(fields));
  if (reply.error() == cudaSuccess) value = reply.value<T>(key);
  return reply.error();
}
// An error that the library finds by itself. It becomes the last error.
inline cudaError_t refuse(const Call& call, cudaError_t error = cudaErrorInvalidValue) {
  return request("failed", call, {{"name", call.name}, {"error", static_cast<int>(error)}});
}

// Maps a part of the broker's file at this address, in whole pages, whose number of bytes it returns; 0: it cannot be there. `place`: what
// the reply says of it. `replaces`: also where something is mapped.
std::size_t map_shared(std::uintptr_t address, std::size_t bytes, const Reply& reply, const json& place, bool replaces = false);

// What a call hands out.
template <typename T, typename V>
cudaError_t give(T* to, const V& value, const Call& call) {
  if (!to) return refuse(call);
  *to = static_cast<T>(value);
  return cudaSuccess;
}

// The one device that programs see: what cudaGetDeviceProperties answers.

// Total memory is the broker's; everything else is as an H100 with 80 GB of memory (SXM) has it.
const cudaDeviceProp& the_device();

// The copies and fills behind every function that moves bytes between the host and the device: rows that need not follow each other.

struct CopyOrder {
  cudaStream_t stream = nullptr;
  bool async = false;
};

// Where a copy begins in an array. `x` counts bytes.
struct ArrayPlace {
  std::size_t x = 0, y = 0, z = 0;
};
// Memory, or an array by its handle. Sizes and pitches are in bytes.
struct CopySide {
  const void* address = nullptr;
  std::size_t pitch = 0, slice_bytes = 0;  // of memory: from one row to the next, from one slice to the next
  std::optional<ArrayPlace> in_array{};
};
struct Copy {
  CopySide to, from;
  std::size_t rows = 1, row_bytes = 0, slices = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  bool is_line = false;  // in arrays, the bytes run on from one row to the next
};
inline Copy line_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return {{to, bytes}, {from, bytes}, 1, bytes, 1, kind};
}
// As CUDA describes it: extents of arrays count their texels.
cudaError_t read_copy(const cudaMemcpy3DParms* params, Copy& copy, const Call& call);
cudaError_t carry_out(const Copy& copy, CopyOrder order, const Call& call);
// The copy, or a node of a graph where its stream is captured.
cudaError_t copy_or_capture(const Copy& copy, CopyOrder order, const Call& call);
// Bytes of an array's texel; 0: there is no such array.
std::size_t texel_bytes_of(cudaArray_const_t array, const Call& call);

cudaError_t fill_rows(const cudaMemsetParams& what, CopyOrder order, const Call& call);
// Memory that ends in the order of a stream.
cudaError_t free_in_stream(void* pointer, cudaStream_t stream, const Call& call);

// Kernels as the broker knows them: by mangled name, with the sizes of their parameters. Requests of launches are made here.

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

struct KernelFacts {
  std::string name;                // mangled
  std::vector<std::size_t> sizes;  // of its parameters
  int registers = 0, max_threads = 0, binary_version = 0;
  std::size_t static_shared_bytes = 0, local_bytes = 0, const_bytes = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelFacts, sizes, registers, max_threads, binary_version, static_shared_bytes,
                                                local_bytes, const_bytes)

// The kernel whose function begins at `function`. On an error `facts` stays as it was.
cudaError_t find_kernel(const void* function, KernelFacts& facts, const Call& call);
cudaError_t request_launch(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                           const Call& call);
// The kernel, and its parameters: the values lie at `arguments`, one pointer for each.
cudaError_t read_arguments(const void* function, void** arguments, KernelFacts& kernel, std::vector<KernelParameter>& parameters,
                           const Call& call);

// The program's own symbol table: the mangled names of its functions and variables, by address. The program is not position
// independent and not stripped, so addresses in the table are addresses in memory.

struct Symbol {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  bool is_function = false;
  std::string name;
};

class OwnSymbols {
 public:
  static const OwnSymbols& read();  // once; empty where the program cannot read its own file

  const Symbol* function_at(std::uintptr_t address) const;      // that begins there
  const Symbol* variable_around(std::uintptr_t address) const;  // that the address lies in
  // The mangled name of the kernel whose stub has its mark there: see runtime_kernels.hpp.
  std::optional<std::string> kernel_of_mark(std::uintptr_t address) const;
  const std::vector<Symbol>& all() const { return symbols_; }

 private:
  explicit OwnSymbols(const char* file);
  const Symbol* at_or_before(std::uintptr_t address) const;
  std::vector<Symbol> symbols_;  // sorted by address
};

// Variables of the device, which the program names by variables of its own: the name in the symbol table says which one is meant, and
// the broker has memory for it.

// `symbol`: the address of the program's own variable.
cudaError_t address_of_variable(const void* symbol, void** pointer, const Call& call);

// Puts managed memory in the place of the program's __managed__ variables. Once, before the first other request.
void map_managed_variables();

}  // namespace tilelab_host
