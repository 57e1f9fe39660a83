#include "launch/launch_description.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "operands/operand.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/message_fields.hpp"

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

class Numbers {
 public:
  Numbers(const Content& content, judge::RandomStream random) : content_(content), random_(random) {}

  Number next(NumberKind kind) {
    switch (content_.fill) {
      case Fill::iota: {
        const std::uint64_t here = count_++;
        return {static_cast<double>(here), here};
      }
      case Fill::random: return drawn(kind);
      default: return content_.listed[count_++ % content_.listed.size()];
    }
  }

 private:
  Number drawn(NumberKind kind) {
    if (kind == NumberKind::floating && !content_.low) return {random_.signed_unit(), 0};
    const std::int64_t low = content_.low.value_or(random_low), high = content_.high.value_or(random_high);
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;  // 0 stands for 2^64
    const std::uint64_t offset = range == 0 ? random_.bits() : random_.bits() % range;
    const std::uint64_t value = static_cast<std::uint64_t>(low) + offset;
    return {static_cast<double>(static_cast<std::int64_t>(value)), value};
  }

  const Content& content_;
  judge::RandomStream random_;
  std::uint64_t count_ = 0;
};

ElementType floating_type(std::size_t bytes) { return bytes == 2 ? ElementType::f16 : bytes == 4 ? ElementType::f32 : ElementType::f64; }

void put(std::byte* at, const Leaf& leaf, const Number& number) {
  if (leaf.kind != NumberKind::floating)
    std::memcpy(at, &number.integer, leaf.bytes);  // little-endian: the low bytes
  else
    std::ranges::copy(encoded(floating_type(leaf.bytes), {&number.floating, 1}), at);
}

constexpr double float_tolerance = 1e-3, half_tolerance = 2e-2;

double floating_at(const std::byte* at, std::size_t bytes) { return decoded(floating_type(bytes), {at, bytes}).front(); }

std::string number_at(const std::byte* at, const Leaf& leaf) {
  std::ostringstream text;
  if (leaf.kind == NumberKind::floating) {
    text << floating_at(at, leaf.bytes);
    return text.str();
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, leaf.bytes);  // little-endian
  const unsigned unused = 64 - 8 * static_cast<unsigned>(leaf.bytes);
  if (leaf.kind == NumberKind::signed_integer)
    text << (static_cast<std::int64_t>(bits << unused) >> unused);
  else
    text << bits;
  return text.str();
}

bool alike(const std::byte* first, const std::byte* other, const Leaf& leaf) {
  if (std::memcmp(first, other, leaf.bytes) == 0) return true;
  if (leaf.kind != NumberKind::floating) return false;
  const double a = floating_at(first, leaf.bytes), b = floating_at(other, leaf.bytes);
  const double tolerance = leaf.bytes == 2 ? half_tolerance : float_tolerance;
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

LaunchDescription read_description(const std::string& path) {
  const json value = json_of(path);
  LaunchDescription launch;
  protocol::LaunchRequest& request = launch.request;
  for (const json& one : list(value.at("arguments"))) add_argument(launch, one);
  request.config = value.get<protocol::LaunchConfig>();
  request.cooperative = value.at("cooperative").get<bool>();
  launch.seed = integer<std::uint64_t>(value.at("seed"));
  request.event_budget = integer<std::uint64_t>(value.at("event_budget"));
  request.clock_ms = integer<unsigned>(value.at("clock_ms"));
  if (value.contains("allow_same_value_writes")) request.allow_same_value_writes = value.at("allow_same_value_writes").get<bool>();
  request.tell_same_value_writes = true;
  if (value.contains("early_return_is_error")) request.early_return_is_error = value.at("early_return_is_error").get<bool>();
  if (value.contains("trace")) request.trace = protocol::TraceRequest{.block = value.at("trace").get<simt::Index3>()};
  return launch;
}

std::vector<std::byte> bytes_of(const BufferShape& shape, const Content& content, judge::RandomStream random, std::byte unwritten) {
  std::vector<std::byte> bytes(shape.elements * shape.element_bytes, unwritten);
  if (content.fill == Fill::none) return bytes;
  Numbers numbers(content, random);
  for (std::size_t element = 0; element < shape.elements; ++element) {
    for (const Leaf& leaf : shape.leaves) put(bytes.data() + element * shape.element_bytes + leaf.offset, leaf, numbers.next(leaf.kind));
  }
  return bytes;
}

void set_numbers(std::vector<std::byte>& bytes, const std::vector<SetNumber>& numbers) {
  for (const SetNumber& one : numbers) {
    if (one.leaf.offset + one.leaf.bytes > bytes.size()) throw std::out_of_range("a number lies outside its buffer");
    put(bytes.data() + one.leaf.offset, one.leaf, one.number);
  }
}

std::optional<OrderDifference> compare_orders(const BufferShape& shape, std::span<const std::byte> first,
                                              std::span<const std::byte> other) {
  OrderDifference difference;
  const std::size_t elements = std::min({shape.elements, first.size() / shape.element_bytes, other.size() / shape.element_bytes});
  for (std::size_t element = 0; element < elements; ++element) {
    const std::byte *one = first.data() + element * shape.element_bytes, *two = other.data() + element * shape.element_bytes;
    const auto differs = std::find_if(shape.leaves.begin(), shape.leaves.end(),
                                      [&](const Leaf& leaf) { return !alike(one + leaf.offset, two + leaf.offset, leaf); });
    if (differs == shape.leaves.end()) continue;
    if (difference.elements++ != 0) continue;
    difference.element = element;
    difference.first = number_at(one + differs->offset, *differs);
    difference.other = number_at(two + differs->offset, *differs);
  }
  if (difference.elements == 0) return std::nullopt;
  return difference;
}

}  // namespace tilelab::checker
