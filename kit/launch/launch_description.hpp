// One launch of any kernel, as somebody described it: every argument, the configuration, and the time limit. There is no right
// answer. It is read from the JSON that grader/run/launches/kernel_check.py writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::checker {

// What a buffer holds before a launch: zeros or another number, consecutive numbers, random numbers, listed numbers, or unwritten
// memory.
// Elements consist of numbers ("leaves"): one for a float, four for a float4, one for each member of a struct.

enum class NumberKind { floating, signed_integer, unsigned_integer };
enum class Fill { none, iota, random, listed };

struct Leaf {
  NumberKind kind = NumberKind::floating;
  std::size_t bytes = 4;   // 1, 2, 4 or 8; floating: 2 (a half), 4 or 8
  std::size_t offset = 0;  // in bytes, within its element
};

struct BufferShape {
  std::size_t elements = 0, element_bytes = 4;
  std::vector<Leaf> leaves;
};

// One number in both forms; a leaf uses the one that fits its type.
struct Number {
  double floating = 0;
  std::uint64_t integer = 0;  // two's complement
};

struct Content {
  Fill fill = Fill::none;
  std::optional<std::int64_t> low, high;  // for random: whole numbers from low to high; without them, the ranges below
  std::vector<Number> listed = {};        // for lists: the numbers, leaf by leaf; where they end, they begin again
};

// One number at a place of its own: `leaf.offset` counts from the buffer's first byte.
struct SetNumber {
  Leaf leaf;
  Number number;
};

// Random without a range: floating-point numbers are multiples of 2^-23 in (-1, 1), integers 0 to 99.
inline constexpr std::int64_t random_low = 0, random_high = 99;

// The bytes of the whole buffer. Every byte that the content does not set holds `unwritten`: padding, and the whole buffer for
// Fill::none. Consecutive numbers count leaves: element i of a float4 holds 4i to 4i + 3.
std::vector<std::byte> bytes_of(const BufferShape& shape, const Content& content, judge::RandomStream random, std::byte unwritten);
// Throws std::out_of_range where a number does not lie in `bytes`.
void set_numbers(std::vector<std::byte>& bytes, const std::vector<SetNumber>& numbers);

// Whether two launches left the same numbers in a buffer. The launches differ only in the order of blocks and threads.

struct OrderDifference {
  std::size_t element = 0;  // index of the first that differs
  std::string first, other;
  std::size_t elements = 0;  // how many differ
};

// Floating-point numbers may differ by rounding, because additions run in another order: by 1 in 1,000 (a half: 1 in 50).
std::optional<OrderDifference> compare_orders(const BufferShape& shape, std::span<const std::byte> first, std::span<const std::byte> other);

// What an argument of the request holds. Its `bytes`, `bits` and `words` follow from that.
struct ArgumentContent {
  BufferShape shape;               // of a buffer or an object
  Content content;                 // of a buffer, and the value of a scalar
  Leaf scalar;                     // of a scalar: what kind of number it is
  std::vector<SetNumber> numbers;  // of a buffer or an object: set after its content
};

struct LaunchDescription {
  protocol::LaunchRequest request;
  std::vector<ArgumentContent> contents;  // one for each argument
  std::uint64_t seed = 1;                 // for random contents
};

// Throws std::runtime_error or nlohmann::json::exception.
LaunchDescription read_description(const std::string& path);

}  // namespace tilelab::checker
