// Elements of regions in the notation that a student would use.
#include "executor/memory/region.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

Region shared(std::vector<std::size_t> dimensions, std::size_t element_bytes = 4) {
  Region region;
  region.name = "As";
  region.space = Space::shared;
  region.element_bytes = element_bytes;
  region.bytes = element_bytes;
  for (const std::size_t extent : dimensions) region.bytes *= extent;
  region.dimensions = std::move(dimensions);
  return region;
}

}  // namespace

TEST_CASE("an element of a shared array is named by every dimension", "[region]") {
  CHECK(element_name(shared({16, 17}), 0) == "As[0][0]");
  CHECK(element_name(shared({16, 17}), 4 * (3 * 17 + 16)) == "As[3][16]");
  CHECK(element_name(shared({2, 3, 5}, 8), 8 * (1 * 15 + 2 * 5 + 4)) == "As[1][2][4]");
  CHECK(element_name(shared({32}), 124) == "As[31]");
}

TEST_CASE("a byte within an element names that element", "[region]") {
  CHECK(element_name(shared({16, 16}), 7) == "As[0][1]");
  CHECK(element_name(shared({8}, 16), 31) == "As[1]");
}

TEST_CASE("what lies outside counts on in the outermost dimension", "[region]") {
  CHECK(element_name(shared({16, 16}), 4 * 256) == "As[16][0]");
  CHECK(element_name(shared({16, 16}), -4) == "As[-1][15]");
  CHECK(element_name(shared({16, 16}), -1) == "As[-1][15]");
  CHECK(element_name(shared({16, 16}), -4 * 17) == "As[-2][15]");
  CHECK(element_name(shared({32}), 128) == "As[32]");
}

TEST_CASE("a global buffer is a pointer to a kernel, so its elements have one subscript", "[region]") {
  Region buffer = shared({32, 33});
  buffer.space = Space::global;
  buffer.name = "A";
  CHECK(element_name(buffer, 4 * 1056) == "A[1056]");
  CHECK(element_name(buffer, -1) == "A[-1]");
  CHECK(element_name(buffer, -5) == "A[-2]");
}

TEST_CASE("a shared variable that is no array has no subscript", "[region]") {
  CHECK(element_name(shared({}), 0) == "As");
  CHECK(element_name(shared({}), 4) == "As[1]");
  CHECK(element_name(shared({}, 48), 20) == "As at byte 20");
}

TEST_CASE("a variable of the module is named as it was declared", "[region]") {
  Region variable = shared({3, 3});
  variable.space = Space::module;
  variable.name = "mask";
  CHECK(element_name(variable, 16) == "mask[1][1]");
  variable.dimensions.clear();
  variable.bytes = variable.element_bytes;
  CHECK(element_name(variable, 0) == "mask");
}

TEST_CASE("a dynamic array of one element is still an array", "[region]") {
  Region dynamic = shared({});
  dynamic.dynamic = true;
  CHECK(element_name(dynamic, 0) == "As[0]");
}

TEST_CASE("what cannot be named is not named", "[region]") {
  Region region = shared({4});
  region.name.clear();
  CHECK(element_name(region, 0).empty());
  region = shared({4}, 0);
  CHECK(element_name(region, 0).empty());
}
