// An output's element that nobody wrote is known, whatever its type; one that holds the same bytes by right is right.
#include "operands/operand.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab;
using namespace tilelab::judge;

namespace {

constexpr double byte_of_fill = 0xC5;

}  // namespace

TEST_CASE("an output that nobody wrote is unwritten in every element", "[operands]") {
  const auto type = GENERATE(ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::i8, ElementType::u8,
                             ElementType::i16, ElementType::i32, ElementType::u32, ElementType::i64, ElementType::u64);
  const Operand C = output("C", type, {2, 2, {1, 2, 3, 4}});
  const auto bytes = content_before(C, Fill::telling);
  for (const double value : content_after(C, bytes, Fill::telling)) CHECK(is_unwritten(value));
  for (const double value : content_after(C, content_before(C, Fill::other), Fill::other)) CHECK_FALSE(is_unwritten(value));
  CHECK_FALSE(is_right_by_chance(C, bytes, Fill::telling));
}

TEST_CASE("an integer that has to be what the fill is may be right by chance", "[operands]") {
  const Operand out = output("out", ElementType::u8, {1, 2, {1, byte_of_fill}});
  const auto bytes = content_before(out, Fill::telling);
  const auto values = content_after(out, bytes, Fill::telling);
  CHECK(is_unwritten(values[0]));
  CHECK(values[1] == byte_of_fill);
  CHECK(is_right_by_chance(out, bytes, Fill::telling));
  CHECK_FALSE(is_right_by_chance(out, content_before(out, Fill::other), Fill::other));
}

TEST_CASE("what is there before the launch is not taken for unwritten", "[operands]") {
  const Operand bins = zeroed("bins", ElementType::u32, {1, 3, {0, 5, 1}});
  CHECK(content_after(bins, content_before(bins, Fill::telling), Fill::telling) == std::vector<double>{0, 0, 0});
  CHECK_FALSE(is_right_by_chance(bins, content_before(bins, Fill::telling), Fill::telling));
  const Operand short_one = inout("x", ElementType::f32, {1, 2}, {1, 3, {1, 2, 3}});
  CHECK_THROWS_AS(content_before(short_one, Fill::telling), std::logic_error);
}

TEST_CASE("bounds in units of the last place and relative ones follow the expected values", "[operands]") {
  const Expectation ulps = within_ulps({1, 2, {1.0, 1024.0}}, ElementType::f32, 2);
  CHECK(ulps.bounds == std::vector{2 * 0x1p-23, 2 * 0x1p-13});
  CHECK(ulps.rule == "at most 2 units in the last place of float");
  const Expectation relative = within_relative({1, 2, {-4.0, 0.0}}, 0.25, 1e-6);
  CHECK(relative.bounds == std::vector{1.0, 1e-6});
  CHECK(relative.rule == "a relative error of at most 0.25");
}
