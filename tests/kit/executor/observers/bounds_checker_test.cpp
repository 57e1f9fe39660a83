// Stray accesses, bad subscripts, bad alignments and writes to inputs become findings.
#include "executor/observers/bounds_checker.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "handmade_launch.hpp"

using namespace tilelab::simt;
using tilelab::Verdict;

namespace {

RawFinding stray(std::uintptr_t address, const Region* nearest) {
  FindingLog log;
  BoundsChecker checker(log);
  Access access;
  access.address = address;
  access.size = 8;
  access.kind = AccessKind::write;
  access.pc = 77;
  access.by = {2, 33};
  checker.on_stray(access, nearest);
  REQUIRE(log.deduplicated().size() == 1);
  return log.deduplicated()[0];
}

}  // namespace

TEST_CASE("a stray access is out of bounds, by how far it missed", "[bounds_checker]") {
  const Region region = shared_region(64);
  const RawFinding past = stray(region.base + 64, &region), before = stray(region.base - 4, &region);
  CHECK(past.kind == Verdict::out_of_bounds);
  CHECK(past.offset == 64);
  CHECK(past.region == &region);
  CHECK(past.size == 8);
  CHECK(past.site.pc == 77);
  CHECK(past.site.by.thread == 33);
  CHECK(std::string(past.site.access) == "write");
  CHECK(before.offset == -4);
  CHECK(stray(0, nullptr).region == nullptr);
}

TEST_CASE("a subscript outside its dimension keeps both", "[bounds_checker]") {
  FindingLog log;
  BoundsChecker checker(log);
  checker.on_index({{-3, 16, 9}, {1, 2}, 77});
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(log.deduplicated()[0].kind == Verdict::out_of_bounds);
  CHECK(log.deduplicated()[0].index == -3);
  CHECK(log.deduplicated()[0].bound == 16);
}

TEST_CASE("a misaligned address says what it should divide by, a null pointer is out of bounds", "[bounds_checker]") {
  FindingLog log;
  BoundsChecker checker(log);
  Access misaligned;
  misaligned.by = {0, 1};
  misaligned.pc = 77;
  misaligned.address = 0x10004;
  checker.on_misaligned(misaligned, 16);
  misaligned.pc = 78;
  misaligned.address = 4;
  checker.on_misaligned(misaligned, 16);
  const auto all = log.deduplicated();
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == Verdict::out_of_bounds);
  CHECK(all[0].site.pc == 78);
  CHECK(all[1].kind == Verdict::misaligned);
  CHECK(all[1].index == 16);
}

TEST_CASE("a write to an input is found whatever it writes; reads and other buffers are not", "[input_guard]") {
  const auto role = GENERATE(BufferRole::input, BufferRole::output, BufferRole::inout);
  const auto kind = GENERATE(AccessKind::read, AccessKind::write, AccessKind::atomic);
  Region buffer;
  buffer.role = role;
  FindingLog log;
  BoundsChecker guard(log);
  HandmadeLaunch launch(guard, buffer);
  launch.begin_block();
  launch.touch({5, kind, 12});
  const bool wrong = role == BufferRole::input && kind != AccessKind::read;
  REQUIRE(log.deduplicated().size() == (wrong ? 1u : 0u));
  if (wrong) CHECK(log.deduplicated()[0].offset == 12);
}
