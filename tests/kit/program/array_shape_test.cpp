// What a CUDA array is, by what a program asks for: its levels, its layers, and what CUDA does not make.
#include "program/memory/array_shape.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab::program;

namespace {

constexpr ChannelFormat one_float{{32, 0, 0, 0}, 2};

std::optional<ArrayShape> made(std::array<std::uint64_t, 3> extent, std::uint64_t flags = 0, std::uint64_t levels = 0) {
  return ArrayShape::of({.channels = one_float, .extent = extent, .flags = flags, .levels = levels});
}

}  // namespace

TEST_CASE("an array has the dimensions, layers and bytes that its extent says", "[array]") {
  const auto line = made({8, 0, 0}), picture = made({8, 4, 0}), volume = made({8, 4, 2});
  REQUIRE((line && picture && volume));
  CHECK((line->dimensions() == 1 && line->bytes() == 32));
  CHECK((picture->dimensions() == 2 && picture->bytes() == 128));
  CHECK((volume->dimensions() == 3 && volume->bytes() == 256));
  const auto lines = made({8, 0, 5}, ArrayShape::layered), cubes = made({4, 4, 12}, ArrayShape::layered | ArrayShape::cubemap);
  REQUIRE((lines && cubes));
  CHECK((lines->dimensions() == 1 && lines->layers() == 5));
  CHECK((cubes->dimensions() == 2 && cubes->layers() == 2));
}

TEST_CASE("each level of detail is half as large and has a handle of its own", "[array]") {
  const auto shape = made({8, 4, 0}, 0, 100);
  REQUIRE(shape);
  REQUIRE(shape->levels().size() == 4);  // 8x4, 4x2, 2x1, 1x1
  CHECK(shape->levels()[1].extent == std::array<std::uint32_t, 3>{4, 2, 1});
  CHECK(shape->levels()[3].extent == std::array<std::uint32_t, 3>{1, 1, 1});
  CHECK(shape->level_at(0) == nullptr);
  CHECK(shape->level_at(shape->levels()[2].offset) == &shape->levels()[2]);
}

TEST_CASE("what CUDA does not make is not made", "[array]") {
  CHECK_FALSE(made({0, 4, 0}));
  CHECK_FALSE(made({8, 0, 4}));                       // a depth without a height
  CHECK_FALSE(made({8, 4, 6}, ArrayShape::cubemap));  // faces are squares
  CHECK_FALSE(made({4, 4, 7}, ArrayShape::layered | ArrayShape::cubemap));
  CHECK_FALSE(made({200'000, 1, 0}));
  CHECK_FALSE(made({8, 4, 0}, 0x80));
  CHECK_FALSE(made({~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}));
}

TEST_CASE("a texel has one, two or four numbers of one size", "[array]") {
  CHECK(format_of({{8, 8, 8, 8}, 1})->texel_bytes() == 4);
  CHECK(format_of({{16, 16, 0, 0}, 2})->bytes == 2);
  const auto wrong = GENERATE(ChannelFormat{{32, 32, 32, 0}, 2}, ChannelFormat{{8, 0, 0, 0}, 2}, ChannelFormat{{32, 16, 0, 0}, 0},
                              ChannelFormat{{0, 32, 0, 0}, 0}, ChannelFormat{{64, 0, 0, 0}, 0}, ChannelFormat{{32, 0, 0, 0}, 3});
  CHECK_FALSE(format_of(wrong));
}
