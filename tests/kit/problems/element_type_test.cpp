// Elements of every type keep their values as bytes and back, and round as their types do.
#include "operands/operand.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab;

TEST_CASE("whole numbers that a type can hold come back from its bytes", "[operands]") {
  const auto type = GENERATE(ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::i8, ElementType::i16,
                             ElementType::i32, ElementType::i64, ElementType::u8, ElementType::u16, ElementType::u32, ElementType::u64);
  const std::vector<double> values{0, 1, 2, 100, 127};
  const auto bytes = encoded(type, values);
  CHECK(bytes.size() == values.size() * bytes_of(type));
  CHECK(decoded(type, bytes) == values);
}

TEST_CASE("an integer type refuses what it cannot hold", "[operands]") {
  CHECK_NOTHROW(encoded(ElementType::u8, std::vector{255.0}));
  CHECK_THROWS_AS(encoded(ElementType::u8, std::vector{256.0}), std::logic_error);
  CHECK_THROWS_AS(encoded(ElementType::u32, std::vector{-1.0}), std::logic_error);
  CHECK_THROWS_AS(encoded(ElementType::i32, std::vector{0.5}), std::logic_error);
  CHECK_THROWS_AS(encoded(ElementType::i64, std::vector{0x1p60}), std::logic_error);
  CHECK_THROWS_AS(encoded(ElementType::i8, std::vector{std::numeric_limits<double>::quiet_NaN()}), std::logic_error);
  CHECK_THROWS_AS(decoded(ElementType::f32, std::vector<std::byte>(6)), std::logic_error);
}

TEST_CASE("floating types round to nearest even", "[operands]") {
  const auto rounded = [](ElementType type, double value) { return decoded(type, encoded(type, std::vector{value}))[0]; };
  CHECK(rounded(ElementType::f16, 2049) == 2048);  // between 2048 and 2050
  CHECK(rounded(ElementType::f16, 2051) == 2052);
  CHECK(rounded(ElementType::bf16, 257) == 256);
  CHECK(rounded(ElementType::f32, 0x1p24 + 1) == 0x1p24);
  CHECK(std::isinf(rounded(ElementType::f16, 1e6)));
  CHECK(std::isnan(rounded(ElementType::bf16, std::nan(""))));
}

TEST_CASE("the unit in the last place is the distance to the next number of the type", "[operands]") {
  for (const double value : {1.0, 1.5, -3.0, 1e-3, 65000.0, 0.0}) {
    const auto f = static_cast<float>(value);
    CHECK(unit_in_last_place(ElementType::f32, f) == static_cast<double>(std::nextafter(std::abs(f), INFINITY)) - std::abs(f));
    CHECK(unit_in_last_place(ElementType::f64, value) == std::nextafter(std::abs(value), INFINITY) - std::abs(value));
  }
  CHECK(unit_in_last_place(ElementType::f16, 1.0) == 0x1p-10);
  CHECK(unit_in_last_place(ElementType::f16, 0x1p-20) == 0x1p-24);  // subnormal
  CHECK(unit_in_last_place(ElementType::bf16, 1.0) == 0x1p-7);
  CHECK(unit_in_last_place(ElementType::i32, 12345) == 1);
}
