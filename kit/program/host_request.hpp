// What a whole program and the broker say to each other: frames of JSON as in protocol/channel.hpp, one request and one reply, in
// order. The bytes of copies go through staging memory that both have mapped. docs/protocols.md lists the requests.
//
// Trust: the program is a student's host code, and so everything in a request is hostile. It sees no device memory: only memory that
// CUDA lets the host use, and what it copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "protocol/message_fields.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

using nlohmann::json;

inline constexpr int host_socket = 3, host_staging = 4;  // the program's descriptors
inline constexpr std::uint64_t wire_version = 1;
inline constexpr std::size_t most_frames = 16;  // of the program's calls
inline constexpr std::size_t staging_bytes = 4u << 20;

// Device memory has addresses in [device_first, shared_first); memory that the host uses as well, in [shared_first, memory_end).
inline constexpr std::uintptr_t device_first = 0x2000'0000'0000, shared_first = 0x2800'0000'0000, memory_end = 0x3000'0000'0000;

// CUDA's numbers (driver_types.h).
enum class CudaError : int {
  success = 0,
  invalid_value = 1,
  memory_allocation = 2,
  invalid_configuration = 9,
  invalid_pitch = 12,
  invalid_device_pointer = 17,
  invalid_copy_direction = 21,
  invalid_filter = 26,
  invalid_device_function = 98,
  invalid_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  launch_timeout = 702,
  assertion = 710,
  launch_failure = 719,
  cooperative_too_large = 720,
  not_supported = 801,
};

enum class MemoryKind : std::uint8_t { device, managed, pinned, variable, array };
NLOHMANN_JSON_SERIALIZE_ENUM(MemoryKind, {{MemoryKind::device, "device"},
                                          {MemoryKind::managed, "managed"},
                                          {MemoryKind::pinned, "pinned"},
                                          {MemoryKind::variable, "variable"},
                                          {MemoryKind::array, "array"}})
enum class CopyKind : std::uint8_t { host_to_host, host_to_device, device_to_host, device_to_device, by_address };

// The program does not keep to the protocol. It is ended.
struct BrokenRules : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One request of the program. Each value is checked when it is read: all members throw BrokenRules if it is missing, has another
// type, or is out of range.
class HostRequest {
  template <typename Read>
  decltype(auto) read(const char* key, const Read& read) const try {
    return read(value_.at(key));
  } catch (const json::exception&) {
    refuse(key);
  }
  template <typename T, typename Read>
  std::vector<T> all(const char* key, std::size_t most, const Read& one) const {
    return read(key, [&](const json& value) {
      if (strict::list(value).size() > most) refuse(key);
      std::vector<T> all;
      for (const json& each : value) all.push_back(one(each));
      return all;
    });
  }
  [[noreturn]] void refuse(const char* key) const { throw BrokenRules("request '" + op_ + "' has a bad value of '" + key + "'"); }

 public:
  explicit HostRequest(const std::string& frame) {
    value_ = json::parse(frame, nullptr, false);
    if (!value_.is_object()) throw BrokenRules("a request is no object");
    op_ = text("op", 32);
  }

  const std::string& op() const { return op_; }
  std::uint64_t at() const { return has("at") ? number("at") : 0; }  // where the program made the call
  bool has(const char* key) const { return value_.contains(key); }
  std::uint64_t number(const char* key) const { return read(key, strict::integer<std::uint64_t>); }
  std::uint64_t number_or(const char* key, std::uint64_t missing) const { return has(key) ? number(key) : missing; }
  int small(const char* key) const {
    return read(key, strict::integer<int>);
  }  // an error's or an exit status's number
     // missing: false
  bool flag(const char* key) const {
    return has(key) && read(key, [](const json& value) { return value.get<bool>(); });
  }
  const std::string& text(const char* key, std::size_t longest = 4096) const {
    const std::string& all = read(key, strict::text);
    return all.size() <= longest ? all : (refuse(key), all);
  }
  protocol::Extent extent(const char* key) const {
    return read(key, [](const json& value) { return value.get<protocol::Extent>(); });
  }
  std::vector<std::string> texts(const char* key, std::size_t most, std::size_t longest) const {
    return all<std::string>(key, most, [&](const json& one) {
      if (strict::text(one).size() > longest) refuse(key);
      return strict::text(one);
    });
  }
  std::vector<std::uint64_t> numbers(const char* key, std::size_t most) const {
    return all<std::uint64_t>(key, most, strict::integer<std::uint64_t>);
  }
  MemoryKind kind() const {
    const MemoryKind kind = read("kind", strict::enumerator<MemoryKind>);
    return kind != MemoryKind::variable ? kind : (refuse("kind"), kind);
  }

 private:
  nlohmann::json value_;
  std::string op_;
};

}  // namespace tilelab::program
