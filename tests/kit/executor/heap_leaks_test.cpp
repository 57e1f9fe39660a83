// What a kernel allocated and nobody has freed when it ends.
#include "executor/memory/memory_map.hpp"

#include <cstring>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

constexpr std::uintptr_t statement = 100, other_statement = 200;

Region& buffer_in(MemoryMap& memory) {
  Region buffer;
  buffer.name = "A";
  buffer.bytes = 64;
  return memory.add_buffer(buffer);
}

void store_pointer(std::uintptr_t at, std::uintptr_t pointer) { std::memcpy(reinterpret_cast<void*>(at), &pointer, sizeof pointer); }

}  // namespace

TEST_CASE("memory that was freed is no leak", "[heap]") {
  MemoryMap memory;
  const std::uintptr_t address = memory.heap().allocate(8, statement, {0, 0});
  memory.heap().release(address, other_statement, {0, 1});
  CHECK(leaks_of(memory).empty());
}

TEST_CASE("what no pointer leads to is lost, with the bytes and the threads of each statement", "[heap]") {
  MemoryMap memory;
  buffer_in(memory);
  for (std::uint32_t thread = 5; thread-- > 0;) memory.heap().allocate(10, statement, {0, thread});
  memory.heap().allocate(10, statement, {0, 3});
  memory.heap().allocate(4, other_statement, {2, 1});
  const auto leaks = leaks_of(memory);
  REQUIRE(leaks.size() == 2);
  CHECK(leaks[0].allocated_by == statement);
  CHECK(leaks[0].is_lost);
  CHECK(leaks[0].bytes == 60);
  CHECK(leaks[0].threads == 5);
  CHECK(leaks[0].by.thread == 0);
  CHECK(leaks[1].bytes == 4);
}

TEST_CASE("what a pointer in a buffer leads to is kept, also over other allocations", "[heap]") {
  MemoryMap memory;
  const Region& buffer = buffer_in(memory);
  const std::uintptr_t first = memory.heap().allocate(32, statement, {0, 0}), second = memory.heap().allocate(16, statement, {0, 0});
  store_pointer(buffer.base + 8, first);
  store_pointer(first + 16, second + 4);
  const auto leaks = leaks_of(memory);
  REQUIRE(leaks.size() == 1);
  CHECK_FALSE(leaks[0].is_lost);
  CHECK(leaks[0].bytes == 48);
}

TEST_CASE("of a statement that lost some memory, only that is told", "[heap]") {
  MemoryMap memory;
  const Region& buffer = buffer_in(memory);
  store_pointer(buffer.base, memory.heap().allocate(32, statement, {0, 0}));
  memory.heap().allocate(16, statement, {0, 1});
  const auto leaks = leaks_of(memory);
  REQUIRE(leaks.size() == 1);
  CHECK(leaks[0].is_lost);
  CHECK(leaks[0].bytes == 16);
}
