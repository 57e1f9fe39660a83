// A message is described once, by the list of its fields: what writes it as JSON and what reads it follow from that list. The fields' names
// are the keys. docs/protocol_fields.py reads the same lists, for docs/message-fields.md.
//
//   TILELAB_MESSAGE(Site, TILELAB_NEEDS(file) TILELAB_MAY_HAVE(line, block))
//   TILELAB_ROW(Piece, offset, bytes, floating)
//
// A field that is needed is always written, and a message without it is refused. One that a message may have is left out where it holds
// what it holds in a new message. A row is the list of its values, for messages with thousands of them. A list of TILELAB_NUMBERS is one
// text, "0,12,4,1,13,4" for two rows of three whole numbers: of these there are hundred thousands, and a JSON value for each would take
// longer than all else. Text may hold any bytes: those that are no UTF-8 become U+FFFD where json_text() writes them.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

// Reading is for JSON that a hostile peer may have written. It throws if a value has another type or is out of range. Nothing is rounded,
// wrapped or given a default value. The caller must judge what strings mean, and how long they may be.
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

namespace tilelab::fields {

using nlohmann::json;

template <class One, class Message>
concept Is = std::same_as<std::remove_const_t<One>, Message>;
template <class T>
concept MayBeEmpty = requires(const T& one) { one.empty(); };
template <class T>
concept Optional = requires(const T& one) { one.has_value(); };
template <class T>
concept Map = requires { typename T::mapped_type; };
template <class T>
concept Array = requires { std::tuple_size<T>::value; };
template <class T>
concept List = MayBeEmpty<T> && !Map<T> && !std::same_as<T, std::string>;

template <class T>
concept Numbers = requires(const T& one) { each_number(one, [](const auto&) {}); };

template <class Cell>
struct NumberOf : std::type_identity<Cell> {};
template <class Cell>
  requires std::is_enum_v<Cell>
struct NumberOf<Cell> : std::underlying_type<Cell> {};

template <Numbers Row>
std::string text_of(const std::vector<Row>& rows) {
  std::string text;
  const auto write = [&text]<class Cell>(const Cell& cell) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<NumberOf<Cell>::type>(cell));
    if (!text.empty()) text += ',';
    text.append(digits, end.ptr);
  };
  for (const Row& row : rows) each_number(row, write);
  return text;
}

template <Numbers Row>
void read_numbers(const json& value, std::vector<Row>& rows) {
  const std::string& text = strict::text(value);
  const char *at = text.data(), *const end = at + text.size();
  rows.clear();
  while (at != end) {
    each_number(rows.emplace_back(), [&]<class Cell>(Cell& cell) {
      typename NumberOf<Cell>::type number{};
      if (at != text.data() && (at == end || *at++ != ',')) strict::refuse(value, "as many numbers as belong here");
      const auto read = std::from_chars(at, end, number);
      if (read.ec != std::errc()) strict::refuse(value, "a whole number that fits");
      at = read.ptr;
      cell = static_cast<Cell>(number);
    });
  }
}

template <class T>
json written(const T& one) {
  if constexpr (Optional<T>) {
    return one ? written(*one) : json();
  } else if constexpr (std::same_as<T, float>) {
    return std::bit_cast<std::uint32_t>(one);  // any float passes as its bits: JSON has no infinities
  } else if constexpr (List<T> && requires { requires Numbers<typename T::value_type>; }) {
    return text_of(one);
  } else if constexpr (Array<T> || List<T>) {
    json all = json::array();
    for (const auto& item : one) all.push_back(written<typename T::value_type>(item));
    return all;
  } else {
    return one;
  }
}

template <class T>
void read(const json& value, T& one) {
  if constexpr (std::same_as<T, bool>) {
    one = value.get<bool>();
  } else if constexpr (std::is_enum_v<T>) {
    one = strict::enumerator<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    one = strict::integer<T>(value);
  } else if constexpr (std::same_as<T, float>) {
    one = std::bit_cast<float>(strict::integer<std::uint32_t>(value));
  } else if constexpr (std::same_as<T, double>) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) strict::refuse(value, "a number");
    one = value.get<double>();
  } else if constexpr (std::same_as<T, std::string>) {
    one = strict::text(value);
  } else if constexpr (Optional<T>) {
    read(value, one.emplace());
  } else if constexpr (Array<T>) {
    if (strict::list(value).size() != one.size()) strict::refuse(value, "as many values as belong here");
    for (std::size_t i = 0; i < one.size(); ++i) read(value[i], one[i]);
  } else if constexpr (List<T> && requires { requires Numbers<typename T::value_type>; }) {
    read_numbers(value, one);
  } else if constexpr (List<T>) {
    one.clear();
    for (const json& item : strict::list(value)) {
      typename T::value_type read_item{};
      read(item, read_item);
      one.push_back(std::move(read_item));
    }
  } else if constexpr (Map<T>) {
    one.clear();
    for (const auto& [name, item] : value.get_ref<const json::object_t&>()) read(item, one[name]);
  } else {
    value.get_to(one);
  }
}

// In a row an absent value has a place.
template <class T>
void read_cell(const json& value, T& one) {
  if constexpr (Optional<T>) {
    if (value.is_null()) return one.reset();
  }
  read(value, one);
}

// What goes through the fields of a message.
struct Writer {
  json& value;
  template <class T>
  void needed(const char* key, const T& one) {
    value[key] = written(one);
  }
  template <class T>
  void sparse(const char* key, const T& one, const T& usual) {
    bool is_usual = false;
    if constexpr (Optional<T>)
      is_usual = !one.has_value();
    else if constexpr (MayBeEmpty<T>)
      is_usual = one.empty();
    else
      is_usual = one == usual;
    if (!is_usual) needed(key, one);
  }
  template <class T>
  void beside(const T& one) {
    value.update(json(one));
  }
};

struct Reader {
  const json& value;
  template <class T>
  void needed(const char* key, T& one) {
    read(value.at(key), one);
  }
  template <class T>
  void sparse(const char* key, T& one, const T&) {
    if (value.contains(key)) needed(key, one);
  }
  template <class T>
  void beside(T& one) {
    value.get_to(one);
  }
};

}  // namespace tilelab::fields

#define TILELAB_NEEDED(name) io.needed(#name, one.name);
#define TILELAB_SPARSE(name) io.sparse(#name, one.name, usual.name);
#define TILELAB_NEEDS(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILELAB_NEEDED, __VA_ARGS__))
#define TILELAB_MAY_HAVE(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILELAB_SPARSE, __VA_ARGS__))
#define TILELAB_BESIDE(part) io.beside(one.part);  // another message, whose fields lie beside these
#define TILELAB_CELL(name) visit(one.name);

// The fields of a message that more has to be said of than they do: read_fields() is for its from_json.
#define TILELAB_FIELDS(Message, ...)                                                    \
  void through_fields(auto& io, ::tilelab::fields::Is<Message> auto& one) {             \
    [[maybe_unused]] static const Message usual{};                                      \
    __VA_ARGS__                                                                         \
  }                                                                                     \
  [[maybe_unused]] static void read_fields(const nlohmann::json& value, Message& one) { \
    one = Message{};                                                                    \
    ::tilelab::fields::Reader io{value};                                                \
    through_fields(io, one);                                                            \
  }                                                                                     \
  void to_json(nlohmann::json& value, const Message& one) {                             \
    value = nlohmann::json::object();                                                   \
    ::tilelab::fields::Writer io{value};                                                \
    through_fields(io, one);                                                            \
  }

#define TILELAB_MESSAGE(Message, ...)  \
  TILELAB_FIELDS(Message, __VA_ARGS__) \
  void from_json(const nlohmann::json& value, Message& one) { read_fields(value, one); }

#define TILELAB_NUMBERS(Message, ...)                                        \
  void each_number(::tilelab::fields::Is<Message> auto& one, auto&& visit) { \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILELAB_CELL, __VA_ARGS__))     \
  }

#define TILELAB_ROW(Message, ...)                                                                         \
  void to_json(nlohmann::json& value, const Message& one) {                                               \
    value = nlohmann::json::array();                                                                      \
    const auto visit = [&value](const auto& cell) { value.push_back(::tilelab::fields::written(cell)); }; \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILELAB_CELL, __VA_ARGS__))                                  \
  }                                                                                                       \
  void from_json(const nlohmann::json& value, Message& one) {                                             \
    std::size_t at = 0;                                                                                   \
    const auto visit = [&](auto& cell) { ::tilelab::fields::read_cell(value.at(at++), cell); };           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILELAB_CELL, __VA_ARGS__))                                  \
    if (value.size() != at) ::tilelab::strict::refuse(value, "as many values as belong here");            \
  }
