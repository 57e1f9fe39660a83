#include "operands/operand.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "executor/arithmetic/half_bits.hpp"

namespace tilelab {
namespace {

struct Described {
  std::string_view name;
  std::size_t bytes;
  int digits;    // bits of a floating type's fraction, with the one that is not stored; 0: an integer
  int smallest;  // the exponent of the last place of subnormal numbers
};

// IEEE 754-2019, table 3.5; bfloat16 is the upper half of binary32.
constexpr std::array<Described, 12> types{{{"__half", 2, 11, -24},
                                           {"__nv_bfloat16", 2, 8, -133},
                                           {"float", 4, 24, -149},
                                           {"double", 8, 53, -1074},
                                           {"signed char", 1, 0, 0},
                                           {"short", 2, 0, 0},
                                           {"int", 4, 0, 0},
                                           {"long long", 8, 0, 0},
                                           {"unsigned char", 1, 0, 0},
                                           {"unsigned short", 2, 0, 0},
                                           {"unsigned int", 4, 0, 0},
                                           {"unsigned long long", 8, 0, 0}}};
constexpr double largest_whole = 0x1p53;

const Described& described(ElementType type) { return types.at(static_cast<std::size_t>(type)); }

template <std::integral Integer>
Integer whole(double value, ElementType type) {
  const bool fits = value >= static_cast<double>(std::numeric_limits<Integer>::min()) &&
                    value <= static_cast<double>(std::numeric_limits<Integer>::max()) && std::abs(value) <= largest_whole;
  if (!fits || value != std::trunc(value))
    throw std::logic_error("the number " + std::to_string(value) + " is no " + std::string(cuda_name(type)) + " that a problem may use");
  return static_cast<Integer>(value);
}

// Calls `use` with a function from a double to the type's bits and one back.
template <class Use>
auto with_codec(ElementType type, Use use) {
  const auto integer = [&]<class Integer>(Integer) {
    return use([type](double value) { return whole<Integer>(value, type); }, [](Integer bits) { return static_cast<double>(bits); });
  };
  switch (type) {
    case ElementType::f16: return use([](double value) { return simt::half_bits(value); }, simt::half_value);
    case ElementType::bf16:
      return use([](double value) { return simt::bfloat_bits(value); },
                 [](std::uint16_t bits) { return double{simt::bfloat_value(bits)}; });
    case ElementType::f32: return use([](double value) { return static_cast<float>(value); }, [](float value) { return double{value}; });
    case ElementType::f64: return use([](double value) { return value; }, [](double value) { return value; });
    case ElementType::i8: return integer(std::int8_t{});
    case ElementType::i16: return integer(std::int16_t{});
    case ElementType::i32: return integer(std::int32_t{});
    case ElementType::i64: return integer(std::int64_t{});
    case ElementType::u8: return integer(std::uint8_t{});
    case ElementType::u16: return integer(std::uint16_t{});
    case ElementType::u32: return integer(std::uint32_t{});
    case ElementType::u64: break;
  }
  return integer(std::uint64_t{});
}

}  // namespace

std::string_view cuda_name(ElementType type) { return described(type).name; }

std::size_t bytes_of(ElementType type) { return described(type).bytes; }

bool is_floating(ElementType type) { return described(type).digits != 0; }

std::vector<std::byte> encoded(ElementType type, std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * bytes_of(type));
  with_codec(type, [&](auto to_bits, auto) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bits = to_bits(values[i]);
      std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    }
    return 0;
  });
  return bytes;
}

std::vector<double> decoded(ElementType type, std::span<const std::byte> bytes) {
  if (bytes.size() % bytes_of(type) != 0) throw std::logic_error("a buffer holds no whole number of elements");
  std::vector<double> values(bytes.size() / bytes_of(type));
  with_codec(type, [&](auto to_bits, auto to_value) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      decltype(to_bits(0.0)) bits;
      std::memcpy(&bits, bytes.data() + i * sizeof bits, sizeof bits);
      values[i] = to_value(bits);
    }
    return 0;
  });
  return values;
}

double unit_in_last_place(ElementType type, double value) {
  const Described& one = described(type);
  if (one.digits == 0) return 1.0;
  if (!std::isfinite(value) || value == 0.0) return std::ldexp(1.0, one.smallest);
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| is in [2^(exponent-1), 2^exponent)
  return std::ldexp(1.0, std::max(exponent - one.digits, one.smallest));
}

}  // namespace tilelab

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
