// Which region an address belongs to.
#include "executor/memory/memory_map.hpp"

#include <sys/mman.h>

#include <array>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

Region buffer(std::string name, std::size_t bytes) {
  Region region;
  region.name = std::move(name);
  region.bytes = bytes;
  return region;
}

Region array(std::string name, std::uintptr_t base, std::size_t bytes) {
  Region region;
  region.name = std::move(name);
  region.space = Space::shared;
  region.base = base;
  region.bytes = bytes;
  return region;
}

}  // namespace

TEST_CASE("a buffer is zeroed, aligned as cudaMalloc aligns, and lies between red zones of ordinary memory", "[memory_map]") {
  MemoryMap memory;
  const Region& a = memory.add_buffer(buffer("A", 100));
  CHECK(a.base % 256 == 0);
  CHECK(a.space == Space::global);
  auto* bytes = reinterpret_cast<unsigned char*>(a.base);
  for (std::size_t i = 0; i < 100; ++i) CHECK(bytes[i] == 0);
  std::memset(bytes - red_zone_bytes, 1, red_zone_bytes);
  std::memset(bytes + 100, 1, red_zone_bytes);
  CHECK(bytes[0] == 0);
  CHECK(bytes[99] == 0);
}

TEST_CASE("an access belongs to a buffer only where all of it lies inside", "[memory_map]") {
  MemoryMap memory;
  const Region& a = memory.add_buffer(buffer("A", 100));
  const Region& b = memory.add_buffer(buffer("B", 64));
  CHECK(memory.find_global(a.base, 4) == &a);
  CHECK(memory.find_global(b.base, 64) == &b);
  CHECK(memory.find_global(a.base + 96, 4) == &a);
  CHECK(memory.find_global(a.base + 97, 4) == nullptr);
  CHECK(memory.find_global(a.base + 100, 1) == nullptr);
  CHECK(memory.find_global(a.base - 1, 1) == nullptr);
  CHECK(memory.find_global(a.base - 1, 4) == nullptr);
  CHECK(memory.find_global(a.base, ~std::size_t{0}) == nullptr);
  CHECK(memory.find_global(0, 4) == nullptr);
  CHECK(memory.find_global(~std::uintptr_t{0}, 4) == nullptr);
}

TEST_CASE("regions keep their addresses when more are added", "[memory_map]") {
  MemoryMap memory;
  const Region* first = &memory.add_buffer(buffer("A", 4));
  CHECK(memory.find_global(first->base, 4) == first);
  for (int i = 0; i < 100; ++i) memory.add_buffer(buffer("B", 4));
  CHECK(memory.find_global(first->base, 4) == first);
  CHECK(first->name == "A");
}

TEST_CASE("a buffer too large to map is refused", "[memory_map]") {
  MemoryMap memory;
  CHECK_THROWS_AS(memory.add_buffer(buffer("A", ~std::size_t{0})), std::bad_alloc);
  CHECK_THROWS_AS(memory.add_buffer(buffer("A", ~std::size_t{0} - 8192)), std::bad_alloc);
  CHECK_THROWS_AS(memory.add_buffer(buffer("A", std::size_t{1} << 60)), std::bad_alloc);
}

TEST_CASE("a red zone belongs to the buffer it surrounds", "[memory_map]") {
  MemoryMap memory;
  const Region& a = memory.add_buffer(buffer("A", 100));
  CHECK(memory.buffer_near(a.base - 1) == &a);
  CHECK(memory.buffer_near(a.base - red_zone_bytes) == &a);
  CHECK(memory.buffer_near(a.base + 100) == &a);
  CHECK(memory.buffer_near(a.base + 99 + red_zone_bytes) == &a);
  CHECK(memory.buffer_near(0) == nullptr);
}

TEST_CASE("a variable of the module goes by its own name, and behind it is space that belongs to nobody", "[memory_map]") {
  MemoryMap memory;
  static int data[8];
  const auto base = reinterpret_cast<std::uintptr_t>(data);
  Region counter = array("counter", base + 4, 4), table = array("table", base + 12, 8);
  counter.room = 8;
  table.room = 12;
  memory.add_module(array("constants without a name", base, 4));
  memory.add_module(table);
  memory.add_module(counter);
  const auto name = [&](std::size_t offset, std::size_t size) {
    const Region* found = memory.find_global(base + offset, size);
    return found == nullptr ? std::string() : found->name;
  };
  CHECK(name(0, 4) == "constants without a name");
  CHECK(name(4, 4) == "counter");
  CHECK(name(12, 8) == "table");
  CHECK(name(4, 8).empty());  // half in it, half past it
  CHECK(name(8, 4).empty());
  CHECK(name(20, 4).empty());
  CHECK(memory.variable_near(base + 8)->name == "counter");
  CHECK(memory.variable_near(base + 23)->name == "table");
  CHECK(memory.variable_near(base + sizeof data) == nullptr);
  CHECK(memory.variable_near(base - 4) == nullptr);  // no variable begins soon: what does has no name
  CHECK(memory.find_global(base, 1)->space == Space::module);
  CHECK(memory.buffer_near(base) == nullptr);
}

TEST_CASE("shared arrays are told apart, down to those that share a word", "[memory_map]") {
  alignas(16) static std::array<char, 64> block;
  const auto base = reinterpret_cast<std::uintptr_t>(block.data());
  MemoryMap memory;
  memory.set_shared(base, 64,
                    {array("As", base, 16), array("flag", base + 16, 1), array("bytes", base + 17, 7), array("Bs", base + 32, 16)});
  CHECK(memory.in_shared_span(base));
  CHECK(memory.in_shared_span(base + 63));
  CHECK_FALSE(memory.in_shared_span(base + 64));
  CHECK_FALSE(memory.in_shared_span(base - 1));
  const auto arrays = memory.shared_arrays();
  CHECK(arrays[2].span_offset == 17);
  CHECK(memory.find_shared(base + 12, 4) == &arrays[0]);
  CHECK(memory.find_shared(base + 12, 8) == nullptr);
  CHECK(memory.find_shared(base + 16, 1) == &arrays[1]);
  CHECK(memory.find_shared(base + 17, 1) == &arrays[2]);
  CHECK(memory.find_shared(base + 16, 2) == nullptr);
  CHECK(memory.find_shared(base + 23, 1) == &arrays[2]);
  CHECK(memory.find_shared(base + 24, 4) == nullptr);
  CHECK(memory.find_shared(base + 63, 1) == nullptr);
  CHECK(memory.find_shared(base + 63, 64) == nullptr);
}

TEST_CASE("of aliasing dynamic arrays the one that holds the whole access is found", "[memory_map]") {
  alignas(16) static std::array<char, 64> block;
  const auto base = reinterpret_cast<std::uintptr_t>(block.data());
  MemoryMap memory;
  memory.set_shared(base, 64, {array("small", base, 16), array("large", base, 64)});
  CHECK(memory.find_shared(base + 12, 4)->name == "small");
  CHECK(memory.find_shared(base + 12, 8)->name == "large");
}

TEST_CASE("more arrays than the table has room for are still found", "[memory_map]") {
  static std::array<char, 400 * 4> block;
  const auto base = reinterpret_cast<std::uintptr_t>(block.data());
  std::vector<Region> many;
  for (std::size_t i = 0; i < 400; ++i) many.push_back(array("a" + std::to_string(i), base + 4 * i, 4));
  MemoryMap memory;
  memory.set_shared(base, block.size(), many);
  for (std::size_t i = 0; i < 400; ++i) {
    const Region* found = memory.find_shared(base + 4 * i, 4);
    REQUIRE(found != nullptr);
    CHECK(found->name == many[i].name);
  }
}

TEST_CASE("what runs past a shared array is laid to the last array before it", "[memory_map]") {
  alignas(16) static std::array<char, 64> block;
  const auto base = reinterpret_cast<std::uintptr_t>(block.data());
  MemoryMap memory;
  memory.set_shared(base, 64, {array("Bs", base + 20, 12), array("As", base + 4, 12)});
  CHECK(memory.shared_before(base) == nullptr);
  CHECK(memory.shared_before(base + 16)->name == "As");
  CHECK(memory.shared_before(base + 40)->name == "Bs");
}

TEST_CASE("behind its red zones a buffer is fenced by memory that nobody can use", "[memory_map]") {
  MemoryMap memory;
  const Region& placed = memory.add_buffer(buffer("A", 5000));
  const auto can_be_read = [](std::uintptr_t address) {
    constexpr int populate_read = 22;  // MADV_POPULATE_READ: newer than C libraries
    const std::uintptr_t page = address / 4096 * 4096;
    return madvise(reinterpret_cast<void*>(page), 4096, populate_read) == 0;
  };
  if (!can_be_read(placed.base)) SKIP("this kernel does not tell (before Linux 5.14)");
  CHECK(placed.base % 256 == 0);
  CHECK(can_be_read(placed.base - red_zone_bytes));
  CHECK_FALSE(can_be_read(placed.base - red_zone_bytes - 1));
  CHECK(can_be_read(placed.base + 8191 + red_zone_bytes));
  CHECK_FALSE(can_be_read(placed.base + 8192 + red_zone_bytes));
}
