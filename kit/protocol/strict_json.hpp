// Reads JSON that a hostile peer may have written. It throws if a value has another type or is out of range. Nothing is rounded,
// wrapped or given a default value. The caller must judge what strings mean, and how long they may be.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "protocol/json/json_text.hpp"

namespace tilelab::strict {

[[noreturn]] inline void refuse(const nlohmann::json& value, const char* expected) {
  throw nlohmann::json::other_error::create(501, std::string("expected ") + expected, &value);
}

// nlohmann::json alone would convert 1e300 and -1 without an error.
template <class Integer>
Integer integer(const nlohmann::json& value) {
  using Limits = std::numeric_limits<Integer>;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(Limits::max())) refuse(value, "a smaller number");
    return static_cast<Integer>(number);
  }
  if (!value.is_number_integer()) refuse(value, "a whole number");
  const auto number = value.get<std::int64_t>();
  if constexpr (std::is_unsigned_v<Integer>) {
    if (number < 0) refuse(value, "a number that is not negative");
  } else {
    if (number < Limits::min() || number > Limits::max()) refuse(value, "a smaller number");
  }
  return static_cast<Integer>(number);
}

// The conversion made by nlohmann's macro turns an unknown name into the first enumerator; this refuses it.
template <class Enum>
Enum enumerator(const nlohmann::json& value) {
  const Enum result = value.get<Enum>();
  if (nlohmann::json(result) != value) refuse(value, "one of the known names");
  return result;
}

inline const std::string& text(const nlohmann::json& value) { return value.get_ref<const std::string&>(); }

inline const nlohmann::json::array_t& list(const nlohmann::json& value) { return value.get_ref<const nlohmann::json::array_t&>(); }

// The index of a block or a thread, or an extent.
inline std::array<unsigned, 3> three(const nlohmann::json& value) {
  if (list(value).size() != 3) refuse(value, "three numbers");
  return {integer<unsigned>(value[0]), integer<unsigned>(value[1]), integer<unsigned>(value[2])};
}

// JSON holds only UTF-8, but a kernel may print any bytes, and a compiler may be given any file name. Bad bytes become U+FFFD.
inline nlohmann::json untrusted(const std::string& bytes) { return json_from(json_text(bytes)); }

}  // namespace tilelab::strict
