// The imagined device's memory: addresses, room, and what is known of memory that was freed.
#include "program/memory/device_memory.hpp"

#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "program/memory/value_marks.hpp"

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
