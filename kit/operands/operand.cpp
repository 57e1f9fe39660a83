#include "operands/operand.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace tilelab::judge {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

template <class BoundOf>
Expectation bounded(Expectation exact, BoundOf bound_of) {
  exact.bounds.resize(exact.values.size());
  std::ranges::transform(exact.values, exact.bounds.begin(), bound_of);
  return exact;
}

constexpr std::uint64_t sentinel = 0x7ffc'5e57'c51e'5757;

std::uint64_t bits_of(ElementType type, Fill fill) {
  if (fill == Fill::other) return 0x4242'4242'4242'4242;
  switch (type) {
    case ElementType::f16: return 0x7e57;
    case ElementType::bf16: return 0x7fc5;
    case ElementType::f32: return 0x7fc5'1e57;
    case ElementType::f64: return sentinel;
    default: return 0xc5c5'c5c5'c5c5'c5c5;
  }
}

// The bytes of one element, in the first places.
struct Pattern {
  std::byte bytes[8];
  std::size_t size;

  Pattern(ElementType type, Fill fill) : size(bytes_of(type)) {
    const std::uint64_t bits = bits_of(type, fill);
    std::memcpy(bytes, &bits, sizeof bits);  // little-endian: the low bytes
  }
  bool is_at(const std::byte* place) const { return std::memcmp(place, bytes, size) == 0; }
  double value(ElementType type) const { return decoded(type, {bytes, size})[0]; }
};

bool may_be(const Expectation& expected, std::size_t index, double value) {
  if (index >= expected.values.size()) return false;
  return std::abs(value - expected.values[index]) <= (expected.bounds.empty() ? 0.0 : expected.bounds[index]);
}

}  // namespace

Expectation within_ulps(Expectation exact, ElementType type, double ulps) {
  if (exact.rule.empty()) exact.rule = "at most " + short_number(ulps) + " units in the last place of " + std::string(cuda_name(type));
  return bounded(std::move(exact), [=](double value) { return ulps * unit_in_last_place(type, value); });
}

Expectation within_relative(Expectation exact, double relative, double least) {
  if (exact.rule.empty()) exact.rule = "a relative error of at most " + short_number(relative);
  return bounded(std::move(exact), [=](double value) { return std::max(relative * std::abs(value), least); });
}

std::vector<std::byte> content_before(const Operand& buffer, Fill fill) {
  if (buffer.kind == Operand::Kind::inout && buffer.values.size() != buffer.expectation.values.size())
    throw std::logic_error("the buffer " + buffer.name + " has another number of values before the launch than after it");
  if (buffer.kind != Operand::Kind::output) return encoded(buffer.type, buffer.values);
  const Pattern pattern(buffer.type, fill);
  std::vector<std::byte> bytes(buffer.elements() * pattern.size);
  for (std::size_t at = 0; at < bytes.size(); at += pattern.size) std::memcpy(bytes.data() + at, pattern.bytes, pattern.size);
  return bytes;
}

std::vector<double> content_after(const Operand& result, std::span<const std::byte> bytes, Fill fill) {
  std::vector<double> values = decoded(result.type, bytes);
  if (result.kind != Operand::Kind::output || fill != Fill::telling) return values;
  const Pattern pattern(result.type, fill);
  const double value = pattern.value(result.type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (pattern.is_at(bytes.data() + i * pattern.size) && !may_be(result.expectation, i, value)) values[i] = unwritten_value();
  }
  return values;
}

bool is_right_by_chance(const Operand& output, std::span<const std::byte> bytes, Fill fill) {
  if (output.kind != Operand::Kind::output || is_floating(output.type)) return false;
  const Pattern pattern(output.type, fill);
  const double value = pattern.value(output.type);
  for (std::size_t i = 0; i < output.expectation.values.size() && (i + 1) * pattern.size <= bytes.size(); ++i) {
    if (may_be(output.expectation, i, value) && pattern.is_at(bytes.data() + i * pattern.size)) return true;
  }
  return false;
}

double unwritten_value() { return std::bit_cast<double>(sentinel); }

bool is_unwritten(double value) { return std::bit_cast<std::uint64_t>(value) == sentinel; }

}  // namespace tilelab::judge
