// A word of one dynamic shared array that is read as an element of another one.
#include "executor/observers/overlapping_arrays.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

struct Block {
  std::vector<Region> arrays{2};
  FindingLog log;
  OverlappingArrays observer{log, [this](std::uintptr_t pc, bool) { return pc < arrays.size() ? &arrays[pc] : nullptr; }, false};

  Block() {
    for (Region& one : arrays) one.dynamic = true, one.space = Space::shared, one.base = 4096, one.bytes = 256;
    arrays[1].element = "int";
  }
  void touches(std::uintptr_t pc, std::uint64_t at, AccessKind kind, std::uint64_t block = 0) {
    Access access;
    access.region = arrays.data();
    access.offset = at;
    access.address = 4096 + at;
    access.size = 4;
    access.kind = kind;
    access.pc = pc;
    access.by = {block, 1};
    observer.on_access(access);
  }
};

}  // namespace

TEST_CASE("a word that is read as another array than it was written as is found, with both elements", "[overlapping_arrays]") {
  Block block;
  block.touches(0, 8, AccessKind::write);
  block.touches(1, 8, AccessKind::write);
  block.touches(0, 8, AccessKind::read);
  const auto found = block.log.deduplicated();
  REQUIRE(found.size() == 1);
  CHECK(found[0].region == &block.arrays[0]);
  CHECK(found[0].offset == 8);
  CHECK(found[0].missed[0].region == &block.arrays[1]);
  CHECK(found[0].other.pc == 1);
}

TEST_CASE("nothing is told of the same array, of other words, of another block and of what is not certain", "[overlapping_arrays]") {
  Block block;
  block.touches(0, 0, AccessKind::write);
  block.touches(1, 4, AccessKind::write);
  block.touches(0, 0, AccessKind::read);
  block.touches(1, 0, AccessKind::read, 1);
  block.touches(7, 0, AccessKind::read);
  block.touches(7, 0, AccessKind::write);
  block.touches(1, 0, AccessKind::read);
  CHECK(block.log.deduplicated().empty());
}

TEST_CASE("only dynamic arrays of different types can overlap in this way", "[overlapping_arrays]") {
  Block block;
  CHECK(OverlappingArrays::may_find(block.arrays));
  block.arrays[1].element = "float";
  CHECK_FALSE(OverlappingArrays::may_find(block.arrays));
  block.arrays[1].element = "int", block.arrays[1].dynamic = false;
  CHECK_FALSE(OverlappingArrays::may_find(block.arrays));
}
