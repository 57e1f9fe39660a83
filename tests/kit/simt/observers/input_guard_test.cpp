// Writes to inputs are found.
#include "simt/observers/bounds_checker.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "handmade_launch.hpp"

using namespace tilelab::simt;

TEST_CASE("a write to an input is found whatever it writes; reads and other buffers are not", "[input_guard]") {
  const auto role = GENERATE(BufferRole::input, BufferRole::output, BufferRole::inout);
  const auto kind = GENERATE(AccessKind::read, AccessKind::write, AccessKind::atomic);
  Region buffer;
  buffer.role = role;
  FindingLog log;
  InputGuard guard(log);
  HandmadeLaunch launch(guard, buffer);
  launch.begin_block();
  launch.touch({5, kind, 12});
  const bool wrong = role == BufferRole::input && kind != AccessKind::read;
  REQUIRE(log.deduplicated().size() == (wrong ? 1u : 0u));
  if (wrong) CHECK(log.deduplicated()[0].offset == 12);
}
