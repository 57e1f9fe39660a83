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

void add_argument(LaunchDescription& launch, const json& value) {
  json whole{{"bytes", 0}, {"bits", 0}, {"element_bytes", 0}, {"row_elements", 0}};  // what the checker works out, or no scalar has
  whole.update(value);
  protocol::Argument& argument = launch.request.arguments.emplace_back(whole.get<protocol::Argument>());
  ArgumentContent& content = launch.contents.emplace_back();
  content.content = content_from(value.at("content"));
  if (argument.role == protocol::Role::scalar) {
    content.scalar = leaf_from(value.at("scalar"));
    argument.bytes = argument.element_bytes = content.scalar.bytes;
    return;
  }
  BufferShape& shape = content.shape;
  shape.elements = integer<std::size_t>(value.at("elements"));
  shape.element_bytes = argument.element_bytes;
  argument.bytes = shape.elements * shape.element_bytes;
  for (const json& one : list(value.at("leaves"))) {
    const Leaf& leaf = shape.leaves.emplace_back(leaf_from(one));
    if (leaf.offset + leaf.bytes > shape.element_bytes) strict::refuse(one, "a number inside its element");
  }
  if (!value.contains("numbers")) return;
  for (const json& one : list(value.at("numbers"))) content.numbers.push_back({leaf_from(one), number_from(one.at("number"))});
}

}  // namespace

LaunchDescription read_description(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const json value = json_from(file);
  LaunchDescription launch;
  protocol::LaunchRequest& request = launch.request;
  for (const json& one : list(value.at("arguments"))) add_argument(launch, one);
  request.config = value.get<protocol::LaunchConfig>();
  request.cooperative = value.at("cooperative").get<bool>();
  launch.seed = integer<std::uint64_t>(value.at("seed"));
  request.event_budget = integer<std::uint64_t>(value.at("event_budget"));
  request.clock_ms = integer<unsigned>(value.at("clock_ms"));
  if (value.contains("early_return_is_error")) request.early_return_is_error = value.at("early_return_is_error").get<bool>();
  if (value.contains("trace"))
    request.trace = protocol::TraceRequest{.block = {value["trace"].at(0), value["trace"].at(1), value["trace"].at(2)}};
  return launch;
}

}  // namespace tilelab::checker
