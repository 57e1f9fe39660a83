// One request of the program. Each value is checked when it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/host/host_protocol.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

// All members throw BrokenRules if the value is missing, has another type, or is out of range.
class HostRequest {
 public:
  explicit HostRequest(const std::string& frame);

  const std::string& op() const { return op_; }
  std::uint64_t at() const { return has("at") ? number("at") : 0; }  // where the program made the call
  bool has(const char* key) const { return value_.contains(key); }
  std::uint64_t number(const char* key) const;
  std::uint64_t number_or(const char* key, std::uint64_t missing) const { return has(key) ? number(key) : missing; }
  int small(const char* key) const;  // an error's or an exit status's number
  bool flag(const char* key) const;  // missing: false
  const std::string& text(const char* key, std::size_t longest = 4096) const;
  protocol::Extent extent(const char* key) const;
  std::vector<std::string> texts(const char* key, std::size_t most, std::size_t longest) const;
  std::vector<std::uint64_t> numbers(const char* key, std::size_t most) const;
  MemoryKind kind() const;

 private:
  const nlohmann::json& at_key(const char* key) const;
  [[noreturn]] void refuse(const char* key) const;

  nlohmann::json value_;
  std::string op_;
};

}  // namespace tilelab::program
