// Two lanes are on the same path at an instruction if the same calls and iterations led there, whatever else they did before.
#include "executor/observers/control_path.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace tilelab::simt;

namespace {

// One function at 100..200 with a loop at 120..150 and a loop inside it at 130..140. Another function at 200..300.
const LoopMap code({{120, 150}, {130, 140}}, {{100, 200}, {200, 300}});

// A lane's number after it has executed these blocks of the first function.
std::uint64_t key_after(const std::vector<std::uintptr_t>& blocks) {
  ControlPath path;
  path.restart();
  path.called(code, 105, 1000);
  for (const std::uintptr_t pc : blocks) path.block(code, pc);
  return path.key();
}

}  // namespace

TEST_CASE("skipping a block in an iteration changes nothing for the next", "[control_path]") {
  CHECK(key_after({106, 120, 125, 150, 120, 125}) == key_after({106, 120, 150, 120, 125}));
}

TEST_CASE("another iteration is another path", "[control_path]") {
  CHECK(key_after({106, 120, 125}) != key_after({106, 120, 150, 120, 125}));
}

TEST_CASE("how often an inner loop ran does not matter behind it", "[control_path]") {
  CHECK(key_after({106, 120, 130, 140, 130, 140, 145}) == key_after({106, 120, 130, 140, 145}));
  CHECK(key_after({106, 120, 130, 140, 150, 120, 130}) == key_after({106, 120, 130, 140, 130, 140, 150, 120, 130}));
}

TEST_CASE("iterations of both loops tell paths apart inside", "[control_path]") {
  CHECK(key_after({106, 120, 130, 140, 130}) != key_after({106, 120, 130}));
  CHECK(key_after({106, 120, 130, 140, 130}) != key_after({106, 120, 130, 140, 150, 120, 130}));
}

TEST_CASE("behind a loop all are on one path again", "[control_path]") {
  CHECK(key_after({106, 120, 150, 120, 150, 160}) == key_after({106, 160}));
}

TEST_CASE("a block that jumps to itself is a loop", "[control_path]") {
  const LoopMap spinning({{120, 120}}, {{100, 200}});
  ControlPath once, twice;
  for (ControlPath* path : {&once, &twice}) {
    path->restart();
    path->called(spinning, 105, 1000);
    path->block(spinning, 120);
  }
  twice.block(spinning, 120);
  CHECK(once.key() != twice.key());
  once.block(spinning, 130);
  twice.block(spinning, 130);
  CHECK(once.key() == twice.key());
}

TEST_CASE("a function called from two places is on two paths, and back on the caller's behind them", "[control_path]") {
  ControlPath one, other;
  for (ControlPath* path : {&one, &other}) {
    path->restart();
    path->called(code, 105, 1000);
    path->block(code, 106);
  }
  one.called(code, 205, 107);
  other.called(code, 205, 108);
  CHECK(one.key() != other.key());
  one.returned();
  other.returned();
  CHECK(one.key() == other.key());
}

TEST_CASE("blocks of a function that never said it begins leave the path alone", "[control_path]") {
  ControlPath path;
  path.restart();
  path.called(code, 105, 1000);
  path.block(code, 120);
  path.block(code, 150);
  path.block(code, 120);
  const std::uint64_t before = path.key();
  path.block(code, 210);
  path.block(code, 220);
  path.block(code, 125);
  CHECK(path.key() == before);
}

TEST_CASE("a return too many is survived", "[control_path]") {
  ControlPath path;
  path.restart();
  path.returned();
  path.returned();
  CHECK(path.key() == 0);
}
