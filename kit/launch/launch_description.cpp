#include "launch/launch_description.hpp"

#include <fstream>
#include <stdexcept>

#include "protocol/json/json_text.hpp"
#include "protocol/strict_json.hpp"

namespace tilelab::checker {

NLOHMANN_JSON_SERIALIZE_ENUM(NumberKind, {{NumberKind::floating, "floating"},
                                          {NumberKind::signed_integer, "signed"},
                                          {NumberKind::unsigned_integer, "unsigned"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Fill, {{Fill::none, "none"}, {Fill::iota, "iota"}, {Fill::random, "random"}, {Fill::listed, "listed"}})

namespace {

using nlohmann::json;
using strict::enumerator;
using strict::integer;
using strict::list;
using strict::text;

Leaf leaf_from(const json& value) {
  const Leaf leaf{.kind = enumerator<NumberKind>(value.at("kind")),
                  .bytes = integer<std::size_t>(value.at("bytes")),
                  .offset = integer<std::size_t>(value.at("offset"))};
  const bool fits = leaf.bytes == 2 || leaf.bytes == 4 || leaf.bytes == 8 || (leaf.kind != NumberKind::floating && leaf.bytes == 1);
  if (!fits) strict::refuse(value, "a number of 1, 2, 4 or 8 bytes");
  return leaf;
}

// Infinity and NaN are words: JSON has no numbers for them.
Number number_from(const json& value) {
  if (value.is_string()) return {std::stod(text(value)), 0};
  if (value.is_number_unsigned()) {
    const auto whole = integer<std::uint64_t>(value);
    return {static_cast<double>(whole), whole};
  }
  if (value.is_number_integer()) {
    const auto whole = integer<std::int64_t>(value);
    return {static_cast<double>(whole), static_cast<std::uint64_t>(whole)};
  }
  const auto number = value.get<double>();
  const bool fits = number >= -9.2e18 && number <= 9.2e18;
  return {number, fits ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) : 0};
}

Content content_from(const json& value) {
  Content content{.fill = enumerator<Fill>(value.at("fill")), .low = {}, .high = {}};
  if (content.fill == Fill::listed) {
    for (const json& one : list(value.at("listed"))) content.listed.push_back(number_from(one));
    if (content.listed.empty()) strict::refuse(value, "a list of numbers");
  }
  if (value.contains("low")) content.low = integer<std::int64_t>(value.at("low"));
  if (value.contains("high")) content.high = integer<std::int64_t>(value.at("high"));
  if (content.low.has_value() != content.high.has_value() || (content.low && *content.low > *content.high))
    strict::refuse(value, "a range from low to high");
  return content;
}

// What a buffer and an object have in common: numbers at their own places, and pointers to other buffers.
void read_parts(const json& value, DescribedArgument& argument) {
  if (value.contains("hidden")) argument.hidden = value.at("hidden").get<bool>();
  if (value.contains("numbers")) {
    for (const json& one : list(value.at("numbers"))) argument.numbers.push_back({leaf_from(one), number_from(one.at("number"))});
  }
  if (value.contains("pointers")) {
    for (const json& one : list(value.at("pointers")))
      argument.pointers.push_back({integer<std::size_t>(one.at(0)), integer<std::size_t>(one.at(1))});
  }
  if (argument.role != protocol::Role::object) return;
  argument.passing = enumerator<protocol::Passing>(value.at("passing"));
  argument.alignment = integer<std::size_t>(value.at("alignment"));
  for (const json& one : list(value.at("pieces")))
    argument.pieces.push_back({integer<std::size_t>(one.at(0)), integer<std::size_t>(one.at(1)), one.at(2).get<bool>()});
}

DescribedArgument argument_from(const json& value) {
  DescribedArgument argument;
  argument.name = text(value.at("name"));
  argument.element = text(value.at("element"));
  argument.role = enumerator<protocol::Role>(value.at("role"));
  argument.content = content_from(value.at("content"));
  if (value.contains("texture")) argument.texture = value.at("texture").get<protocol::TextureDescription>();
  if (argument.role == protocol::Role::scalar) {
    argument.scalar = leaf_from(value.at("scalar"));
    return argument;
  }
  argument.shape.elements = integer<std::size_t>(value.at("elements"));
  argument.shape.element_bytes = integer<std::size_t>(value.at("element_bytes"));
  argument.row_elements = integer<std::size_t>(value.at("row_elements"));
  for (const json& one : list(value.at("leaves"))) {
    const Leaf& leaf = argument.shape.leaves.emplace_back(leaf_from(one));
    if (leaf.offset + leaf.bytes > argument.shape.element_bytes) strict::refuse(one, "a number inside its element");
  }
  read_parts(value, argument);
  return argument;
}

protocol::Extent extent_from(const json& value) {
  if (list(value).size() != 3) strict::refuse(value, "three numbers");
  return {integer<unsigned>(value[0]), integer<unsigned>(value[1]), integer<unsigned>(value[2])};
}

}  // namespace

LaunchDescription read_description(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const json value = json_from(file);
  LaunchDescription launch;
  for (const json& one : list(value.at("arguments"))) launch.arguments.push_back(argument_from(one));
  launch.config = {extent_from(value.at("grid")), extent_from(value.at("block")), integer<std::size_t>(value.at("shared_bytes"))};
  launch.cooperative = value.at("cooperative").get<bool>();
  launch.seed = integer<std::uint64_t>(value.at("seed"));
  launch.event_budget = integer<std::uint64_t>(value.at("event_budget"));
  launch.clock_ms = integer<unsigned>(value.at("clock_ms"));
  if (value.contains("early_return_is_error")) launch.early_return_is_error = value.at("early_return_is_error").get<bool>();
  if (value.contains("trace"))
    launch.trace = protocol::TraceRequest{.block = {value["trace"].at(0), value["trace"].at(1), value["trace"].at(2)}};
  return launch;
}

}  // namespace tilelab::checker
