// Every kind of number, with every way to fill a buffer.
#include "launch/launch_description.hpp"

#include <cstring>
#include <limits>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;
using namespace tilelab::checker;

namespace {

constexpr Leaf a_float{.kind = NumberKind::floating, .bytes = 4, .offset = 0};
constexpr std::byte unwritten{0xAB};

template <typename Number>
std::vector<Number> numbers(const BufferShape& shape, const Content& content, std::uint64_t seed = 1) {
  const std::vector<std::byte> bytes = bytes_of(shape, content, judge::RandomStream(seed), unwritten);
  std::vector<Number> found(bytes.size() / sizeof(Number));
  std::memcpy(found.data(), bytes.data(), found.size() * sizeof(Number));
  return found;
}

Content filled(Fill fill) { return {.fill = fill, .low = {}, .high = {}}; }

}  // namespace

TEST_CASE("counting goes on through the numbers of an element", "[buffer-content]") {
  CHECK(numbers<float>({.elements = 4, .element_bytes = 4, .leaves = {a_float}}, filled(Fill::iota)) == std::vector<float>{0, 1, 2, 3});
  const Leaf second{.kind = NumberKind::floating, .bytes = 4, .offset = 4};
  CHECK(numbers<float>({.elements = 2, .element_bytes = 8, .leaves = {a_float, second}}, filled(Fill::iota)) ==
        std::vector<float>{0, 1, 2, 3});
}

TEST_CASE("a constant is the same number in every type", "[buffer-content]") {
  Content content = filled(Fill::listed);
  content.listed = {{-2, static_cast<std::uint64_t>(-2)}};
  CHECK(numbers<double>({.elements = 2, .element_bytes = 8, .leaves = {{NumberKind::floating, 8, 0}}}, content) ==
        std::vector<double>{-2, -2});
  CHECK(numbers<std::int16_t>({.elements = 2, .element_bytes = 2, .leaves = {{NumberKind::signed_integer, 2, 0}}}, content) ==
        std::vector<std::int16_t>{-2, -2});
}

TEST_CASE("random numbers keep to their range, depend on the seed, and repeat", "[buffer-content]") {
  const BufferShape floats{.elements = 500, .element_bytes = 4, .leaves = {a_float}};
  const std::vector<float> drawn = numbers<float>(floats, filled(Fill::random));
  CHECK(drawn == numbers<float>(floats, filled(Fill::random)));
  CHECK(drawn != numbers<float>(floats, filled(Fill::random), 2));
  for (const float one : drawn) CHECK((one > -1.0f && one < 1.0f));

  Content dice = filled(Fill::random);
  dice.low = -3;
  dice.high = 3;
  const BufferShape bytes{.elements = 500, .element_bytes = 1, .leaves = {{NumberKind::signed_integer, 1, 0}}};
  bool seen[7] = {};
  for (const std::int8_t one : numbers<std::int8_t>(bytes, dice)) {
    REQUIRE((one >= -3 && one <= 3));
    seen[one + 3] = true;
  }
  for (const bool one : seen) CHECK(one);

  dice.low = std::numeric_limits<std::int64_t>::min();
  dice.high = std::numeric_limits<std::int64_t>::max();  // the whole range of 2^64 numbers
  const BufferShape words{.elements = 2, .element_bytes = 8, .leaves = {{NumberKind::unsigned_integer, 8, 0}}};
  CHECK(numbers<std::uint64_t>(words, dice)[0] != numbers<std::uint64_t>(words, dice)[1]);
}

TEST_CASE("what nobody fills is as it was: padding, and buffers left open", "[buffer-content]") {
  const BufferShape padded{.elements = 2, .element_bytes = 8, .leaves = {a_float}};
  Content zero = filled(Fill::listed);
  zero.listed = {{0, 0}};
  const std::vector<std::byte> bytes = bytes_of(padded, zero, judge::RandomStream(1), unwritten);
  CHECK(bytes[3] == std::byte{0});
  CHECK(bytes[4] == unwritten);
  for (const std::byte one : bytes_of(padded, filled(Fill::none), judge::RandomStream(1), unwritten)) CHECK(one == unwritten);
}
