// Reads JSON that a hostile peer may have written. It throws if a value has another type or is out of range. Nothing is rounded,
// wrapped or given a default value. The caller must judge what strings mean, and how long they may be.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

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

}  // namespace tilelab::strict
