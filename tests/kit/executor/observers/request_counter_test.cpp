// Lanes of a warp at one instruction on one path are one request. The words that it accesses determine its cost.
#include "executor/observers/request_counter.hpp"

#include <catch2/catch_test_macros.hpp>

#include "executor/memory/region.hpp"

using namespace tilelab::simt;

namespace {

constexpr std::uintptr_t memory = 1u << 20;

// A block of `threads`; a test makes its accesses one by one. Instructions 10..19 belong to one line, 20..29 to the next.
class Block {
 public:
  explicit Block(std::uint32_t threads) {
    counter.on_launch_begin({.grid = {1, 1, 1}, .block = {threads, 1, 1}});
    counter.on_block_begin(0);
  }
  void touch(std::uint32_t thread, std::uintptr_t instruction, std::uintptr_t at, AccessKind kind = AccessKind::read,
             std::uint32_t size = 4, Space space = Space::global) {
    Access access;
    access.by = {0, thread};
    access.pc = access.instruction = instruction;
    access.address = memory + at;
    access.size = size;
    access.kind = kind;
    access.space = space;
    counter.on_access(access);
  }
  void shared(std::uint32_t thread, std::uintptr_t at, std::uint32_t size = 4) {
    touch(thread, 10, at, AccessKind::read, size, Space::shared);
  }
  void jump_back(std::uint32_t thread) {  // the loop at 100
    counter.on_edge({0, thread}, 100);
  }
  // The tally of the only instruction, after the block has ended.
  RequestTally only() {
    counter.on_block_end(0, 0);
    REQUIRE(counter.tallies().size() == 1);
    return counter.tallies().front();
  }
  RequestCounter counter{LoopMap({{100, 150}}, {{50, 200}})};
};

}  // namespace

TEST_CASE("a warp's lanes at one instruction are one request", "[request_counter]") {
  Block block(64);
  for (std::uint32_t thread = 0; thread < 64; ++thread) block.touch(thread, 10, 4 * thread);
  const RequestTally tally = block.only();
  CHECK(tally.requests == 2);
  CHECK(tally.sectors == 8);
  CHECK(tally.least_sectors == 8);
}

TEST_CASE("a lane that does an instruction again on the same path makes another request", "[request_counter]") {
  Block block(32);
  for (std::uint32_t thread = 0; thread < 32; ++thread) {
    block.touch(thread, 10, 0);
    block.touch(thread, 10, 4);
  }
  CHECK(block.only().requests == 2);
}

TEST_CASE("lanes that skip an iteration join the others in the next", "[request_counter]") {
  Block block(32);
  for (std::uint32_t thread = 0; thread < 32; ++thread) {
    block.counter.on_call({0, thread}, 60, 1);
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
      block.counter.on_edge({0, thread}, 100);
      if ((turn + thread) % 2 == 0) block.touch(thread, 10, 4 * thread);
      block.counter.on_edge({0, thread}, 150);
    }
  }
  CHECK(block.only().requests == 4);
}

TEST_CASE("a barrier ends every request", "[request_counter]") {
  Block block(32);
  block.touch(0, 10, 0);
  block.counter.on_barrier({});
  block.touch(1, 10, 0);
  CHECK(block.only().requests == 2);
}

TEST_CASE("reads and writes of one instruction are counted apart, and atomics as neither", "[request_counter]") {
  Block block(32);
  for (const AccessKind kind : {AccessKind::read, AccessKind::write, AccessKind::atomic}) block.touch(0, 10, 64, kind);
  block.counter.on_block_end(0, 0);
  CHECK(block.counter.tallies().size() == 3);
}

TEST_CASE("a column of 32 floats in a 32 wide tile is 32 wavefronts where one would do", "[request_counter]") {
  Block block(32);
  for (std::uint32_t thread = 0; thread < 32; ++thread) block.shared(thread, 128 * thread);
  const RequestTally tally = block.only();
  CHECK(tally.requests == 1);
  CHECK(tally.wavefronts == 32);
  CHECK(tally.least_wavefronts == 1);
}

TEST_CASE("128-bit accesses are served quarter by quarter", "[request_counter]") {
  Block block(32);
  for (std::uint32_t thread = 0; thread < 32; ++thread) block.shared(thread, 16 * thread, 16);
  const RequestTally tally = block.only();
  CHECK(tally.requests == 1);
  CHECK(tally.wavefronts == 4);
  CHECK(tally.least_wavefronts == 4);
}

TEST_CASE("an object larger than any instruction moves is several requests", "[request_counter]") {
  Block block(32);
  block.touch(0, 10, 0, AccessKind::read, 12);
  block.touch(0, 11, 0, AccessKind::read, 64);
  block.counter.on_block_end(0, 0);
  CHECK(block.counter.tallies().at(0).requests == 1);
  CHECK(block.counter.tallies().at(1).requests == 4);
}

TEST_CASE("statements that share an instruction of the kit's are counted apart, and so are spaces", "[request_counter]") {
  Block block(32);
  const auto touch = [&](std::uintptr_t statement, Space space) {
    Access access;
    access.address = memory;
    access.size = 4;
    access.pc = statement;
    access.instruction = 500;
    access.space = space;
    block.counter.on_access(access);
  };
  touch(10, Space::global);
  touch(20, Space::global);
  touch(20, Space::shared);
  block.counter.on_block_end(0, 0);
  CHECK(block.counter.tallies().size() == 3);
}

TEST_CASE("a phase in which a warp reads both memories is overlapped, and one in which it reads shared memory alone is not",
          "[request_counter]") {
  Block block(32);
  block.touch(0, 10, 0);  // tiles come
  block.touch(0, 20, 4096, AccessKind::write, 4, Space::shared);
  block.counter.on_barrier({});
  block.shared(0, 4096);  // and are used
  block.counter.on_barrier({});
  CHECK(block.counter.reading_phases() == 1);
  CHECK(block.counter.overlapped_phases() == 0);
  block.touch(0, 10, 0);  // the next ones come while these are used
  block.shared(0, 4096);
  block.counter.on_block_end(0, 0);
  CHECK(block.counter.reading_phases() == 2);
  CHECK(block.counter.overlapped_phases() == 1);
  CHECK(block.counter.copying_requests() == 0);
}
