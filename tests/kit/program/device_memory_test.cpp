// The memory of the imagined device: files, allocations, arrays, textures, and which bytes have a value.
#include <cstring>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "program/memory/device_memory.hpp"

using tilelab::program::FileSpace;

TEST_CASE("parts begin at the lowest place with room", "[file_space]") {
  FileSpace space(64, 16);
  CHECK(space.take(1) == 0);
  CHECK(space.take(17) == 16);
  CHECK(space.take(16) == 48);
  CHECK_FALSE(space.take(1));
  space.give_back(16, 17);
  CHECK(space.free_bytes() == 32);
  CHECK_FALSE(space.take(33));
  CHECK(space.take(16) == 16);
}

TEST_CASE("what is longer than any file has no room", "[file_space]") {
  FileSpace space(64, 16);
  CHECK_FALSE(space.take(~std::size_t{0}));
  CHECK_FALSE(FileSpace(0, 16).take(1));
}

TEST_CASE("whatever was taken and given back in any order, no two parts overlap and nothing is lost", "[file_space]") {
  std::mt19937 random(3);
  FileSpace space(1024, 16);
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (int step = 0; step < 2000; ++step) {
    if (taken.empty() || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % 100;
      const auto place = space.take(bytes);
      if (!place) continue;
      for (const auto& [offset, size] : taken) REQUIRE((*place + space.rounded(bytes) <= offset || offset + space.rounded(size) <= *place));
      taken.emplace_back(*place, bytes);
    } else {
      const std::size_t one = random() % taken.size();
      space.give_back(taken[one].first, taken[one].second);
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(one));
    }
  }
  for (const auto& [offset, size] : taken) space.give_back(offset, size);
  CHECK(space.take(1024) == 0);
}

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

using namespace tilelab::program;

namespace {
constexpr std::size_t mebibyte = 1u << 20;
}

TEST_CASE("allocations have addresses of their kind, far enough apart for red zones", "[device_memory]") {
  DeviceMemory memory(mebibyte);
  const Allocation& one = *memory.allocate(100, MemoryKind::device, 1);
  const Allocation& two = *memory.allocate(5000, MemoryKind::device, 2);
  const Allocation& managed = *memory.allocate(8, MemoryKind::managed, 3);
  CHECK(one.address >= device_first);
  CHECK(two.address >= one.address + one.bytes + 2 * mebibyte);
  CHECK(managed.address >= shared_first);
  CHECK(one.address % 4096 == 0);
  CHECK(memory.containing(one.address + 99) == &one);
  CHECK(memory.containing(one.address + 100) == nullptr);
  CHECK(memory.near(one.address + 100) == &one);
  CHECK(memory.near(one.address - 1) == nullptr);
  CHECK(memory.near(0) == nullptr);
  CHECK(memory.near(~std::uintptr_t{0}) == nullptr);
}

TEST_CASE("memory that was freed is known, empty, and its address is never used again", "[device_memory]") {
  DeviceMemory memory(mebibyte);
  Allocation& one = *memory.allocate(mebibyte, MemoryKind::device, 1);
  std::memset(one.content, 7, one.bytes);
  mark_as_set(one.marks, 0, one.bytes);
  CHECK(memory.free_bytes() == 0);
  CHECK(memory.allocate(1, MemoryKind::device, 2) == nullptr);
  memory.release(one, 9);
  CHECK(memory.near(one.address) == &one);
  CHECK(one.freed_at == 9);
  CHECK(memory.live() == 0);
  const Allocation& two = *memory.allocate(mebibyte, MemoryKind::device, 3);
  CHECK(two.address > one.address + one.bytes);
  CHECK(two.content[0] == 0);
  CHECK(none_set(two.marks, 0, two.bytes));
}

TEST_CASE("memory of a graph has its address before it lives, and the same one each time", "[device_memory]") {
  DeviceMemory memory(mebibyte);
  Allocation& one = *memory.reserve(mebibyte, 4);
  CHECK_FALSE(one.is_live());
  CHECK(one.was_never_live);
  CHECK(memory.near(one.address) == &one);
  CHECK(memory.free_bytes() == mebibyte);  // an address is no room
  const std::uintptr_t address = one.address;
  for (const std::uint64_t freed_at : {5, 6}) {
    REQUIRE(memory.revive(one));
    CHECK(one.address == address);
    CHECK(one.is_live());
    CHECK(one.content[0] == 0);
    CHECK(none_set(one.marks, 0, one.bytes));
    CHECK(memory.allocate(1, MemoryKind::device, 2) == nullptr);
    std::memset(one.content, 7, one.bytes);
    mark_as_set(one.marks, 0, one.bytes);
    memory.release(one, freed_at);
    CHECK(one.freed_at == freed_at);
    CHECK_FALSE(one.was_never_live);
  }
  Allocation& other = *memory.allocate(mebibyte, MemoryKind::device, 3);
  CHECK(other.address != address);
  CHECK_FALSE(memory.revive(one));  // no room
  CHECK_FALSE(one.is_live());
  CHECK(memory.reserve(2 * mebibyte, 7) == nullptr);
}

TEST_CASE("memory that the host uses as well counts as set", "[device_memory]") {
  DeviceMemory memory(mebibyte);
  const Allocation& managed = *memory.allocate(10, MemoryKind::managed, 1);
  CHECK(managed.is_set);
  CHECK(all_set(managed.marks, 0, 10));
  CHECK_FALSE(memory.allocate(10, MemoryKind::device, 1)->is_set);
}

TEST_CASE("sizes that no device has are refused", "[device_memory]") {
  DeviceMemory memory(mebibyte);
  for (const std::size_t bytes : {mebibyte + 1, std::size_t{1} << 50, ~std::size_t{0}, ~std::size_t{0} - 4096})
    CHECK(memory.allocate(bytes, MemoryKind::device, 1) == nullptr);
  CHECK(memory.allocate(mebibyte, MemoryKind::pinned, 1) != nullptr);  // it is no device memory
}

TEST_CASE("a program that allocates and frees for ever is forgotten bit by bit, and gets its memory", "[device_memory]") {
  DeviceMemory memory(mebibyte);
  const std::uintptr_t first = memory.allocate(1, MemoryKind::device, 1)->address;
  memory.release(*memory.near(first), 1);
  for (int i = 0; i < 70'000; ++i) {
    Allocation* one = memory.allocate(mebibyte / 2, MemoryKind::device, 1);
    REQUIRE(one != nullptr);
    memory.release(*one, 2);
  }
  CHECK(memory.near(first) == nullptr);
}

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

using namespace tilelab::program;

namespace {

constexpr std::size_t bytes = 40;

bool is_set(const std::vector<std::uint8_t>& marks, std::size_t at) { return (marks[at / 4] >> (at % 4) & 1) != 0; }
bool is_by_kernel(const std::vector<std::uint8_t>& marks, std::size_t at) { return (marks[at / 4] >> (4 + at % 4) & 1) != 0; }

}  // namespace

TEST_CASE("a copy from the host sets exactly its bytes, and they are no kernel's any more", "[value_marks]") {
  for (std::size_t first = 0; first < 12; ++first) {
    for (std::size_t count = 0; count < 20; ++count) {
      std::vector<std::uint8_t> marks(bytes / 4, 0xFF);
      for (std::size_t i = 0; i < 3; ++i) marks[i] = 0;
      const std::vector<std::uint8_t> before = marks;
      mark_as_set(marks.data(), first, count);
      for (std::size_t at = 0; at < bytes; ++at) {
        const bool inside = at >= first && at < first + count;
        REQUIRE(is_set(marks, at) == (inside || is_set(before, at)));
        REQUIRE(is_by_kernel(marks, at) == (!inside && is_by_kernel(before, at)));
      }
      REQUIRE(all_set(marks.data(), first, count));
      REQUIRE(none_set(marks.data(), first, count) == (count == 0));
    }
  }
}

TEST_CASE("marks go with the bytes, also when the ranges overlap", "[value_marks]") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint8_t> marks(bytes / 4);
    for (std::size_t at = 0; at < bytes; ++at) {
      const unsigned kind = random() % 3;
      if (kind > 0) marks[at / 4] = static_cast<std::uint8_t>(marks[at / 4] | (1u << (at % 4)));
      if (kind > 1) marks[at / 4] = static_cast<std::uint8_t>(marks[at / 4] | (16u << (at % 4)));
    }
    const std::vector<std::uint8_t> before = marks;
    const std::size_t count = random() % 16, from = random() % (bytes - count), to = random() % (bytes - count);
    copy_marks(marks.data(), to, marks.data(), from, count);
    for (std::size_t at = 0; at < bytes; ++at) {
      const bool inside = at >= to && at < to + count;
      const std::size_t source = inside ? from + at - to : at;
      REQUIRE(is_set(marks, at) == is_set(before, source));
      REQUIRE(is_by_kernel(marks, at) == is_by_kernel(before, source));
    }
  }
}

TEST_CASE("one byte more or less is seen", "[value_marks]") {
  std::vector<std::uint8_t> marks(bytes / 4);
  mark_as_set(marks.data(), 5, 9);
  CHECK(all_set(marks.data(), 5, 9));
  CHECK_FALSE(all_set(marks.data(), 4, 9));
  CHECK_FALSE(all_set(marks.data(), 5, 10));
  CHECK(none_set(marks.data(), 0, 5));
  CHECK_FALSE(none_set(marks.data(), 0, 6));
  CHECK(none_set(marks.data(), 14, 20));
  CHECK_FALSE(none_set(marks.data(), 13, 20));
}
