// Handles of textures: which live, and which were never given out or are gone.
#include "program/memory/texture_table.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;

TEST_CASE("a handle that was destroyed stands for nothing, also when its place is used again", "[texture]") {
  program::TextureTable table;
  const auto first = table.add({.place = 0, .generation = 0, .address = 1, .buffer = {}, .description = {}});
  REQUIRE(first);
  REQUIRE(table.find(*first) != nullptr);
  CHECK(table.destroy(*first));
  CHECK_FALSE(table.destroy(*first));
  const auto second = table.add({.place = 0, .generation = 0, .address = 2, .buffer = {}, .description = {}});
  REQUIRE(second);
  CHECK(*second != *first);
  CHECK(table.find(*first) == nullptr);
  CHECK(table.find(*second)->address == 2);
  CHECK(table.find(0) == nullptr);
  CHECK(table.find(*second + 1) == nullptr);
}

TEST_CASE("a kernel knows the same handles", "[texture]") {
  program::TextureTable table;
  (void)table.destroy(*table.add({}));
  const std::uint64_t handle = *table.add({});
  const simt::Region region;
  std::vector<simt::TextureObject> objects(1);
  objects[0].region = &region;
  CHECK(simt::object_of(objects, handle) == nullptr);  // of the first generation
  objects[0].generation = table.find(handle)->generation;
  CHECK(simt::object_of(objects, handle) == objects.data());
}
