// Whether results of two orders of blocks and threads differ by more than rounding.
#include "launch/launch_description.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "executor/arithmetic/half_bits.hpp"

using namespace tilelab::checker;

namespace {

template <typename Number>
std::optional<OrderDifference> compare(const std::vector<Number>& first, const std::vector<Number>& other, NumberKind kind) {
  const BufferShape shape{.elements = first.size(), .element_bytes = sizeof(Number), .leaves = {{.kind = kind, .bytes = sizeof(Number)}}};
  return compare_orders(shape, std::as_bytes(std::span(first)), std::as_bytes(std::span(other)));
}

}  // namespace

TEST_CASE("a list that was filled in another order is told with its first element", "[order_comparison]") {
  const auto difference = compare<int>({4, -1, 2, 3}, {4, 3, 2, -1}, NumberKind::signed_integer);
  REQUIRE(difference);
  CHECK(difference->element == 1);
  CHECK(difference->first == "-1");
  CHECK(difference->other == "3");
  CHECK(difference->elements == 2);
}

TEST_CASE("sums that were rounded in another order are alike", "[order_comparison]") {
  CHECK_FALSE(compare<float>({1.0f, 0.0f}, {1.0000005f, -0.0f}, NumberKind::floating));
  CHECK_FALSE(compare<double>({1e10, NAN}, {1e10 + 1, NAN}, NumberKind::floating));
  CHECK(compare<float>({1.0f}, {1.01f}, NumberKind::floating));
  CHECK(compare<float>({1.0f}, {NAN}, NumberKind::floating));
  CHECK_FALSE(compare<std::uint16_t>({tilelab::simt::half_bits(1.0)}, {tilelab::simt::half_bits(1.01)}, NumberKind::floating));
  CHECK(compare<std::uint16_t>({tilelab::simt::half_bits(1.0)}, {tilelab::simt::half_bits(1.5)}, NumberKind::floating)->other == "1.5");
}

TEST_CASE("padding between numbers is nobody's result", "[order_comparison]") {
  const BufferShape shape{.elements = 1, .element_bytes = 8, .leaves = {{.kind = NumberKind::unsigned_integer, .bytes = 1}}};
  const std::vector<std::byte> first(8, std::byte{1});
  std::vector<std::byte> other = first;
  other[5] = std::byte{9};
  CHECK_FALSE(compare_orders(shape, first, other));
  other[0] = std::byte{200};
  CHECK(compare_orders(shape, first, other)->other == "200");
}
