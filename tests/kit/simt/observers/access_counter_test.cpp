// Counts the bytes accessed, by space and direction.
#include "simt/observers/work_counters.hpp"

#include <catch2/catch_test_macros.hpp>

#include "handmade_launch.hpp"

using namespace tilelab::simt;

TEST_CASE("loads and stores are counted by space, atomics as both", "[access_counter]") {
  Region global, module;
  module.space = Space::module;
  const Region shared = shared_region(64);
  AccessCounter counter;
  HandmadeLaunch launch(counter, shared);
  launch.touch_in(global, {0, AccessKind::read, 0, 4});
  launch.touch_in(global, {0, AccessKind::read, 0, 16});
  launch.touch_in(global, {0, AccessKind::write, 0, 8});
  launch.touch_in(global, {0, AccessKind::atomic, 0, 1});
  launch.touch_in(module, {0, AccessKind::read, 0, 100});
  launch.touch_in(shared, {0, AccessKind::read, 0, 2});
  launch.touch_in(shared, {0, AccessKind::atomic, 0, 4});
  launch.barrier();
  launch.barrier();
  auto counters = counter.counters();
  CHECK(counters["global_load_bytes"] == 4 + 16 + 1 + 100);
  CHECK(counters["global_store_bytes"] == 8 + 1);
  CHECK(counters["shared_load_bytes"] == 2 + 4);
  CHECK(counters["shared_store_bytes"] == 4);
  CHECK(counters["block_barriers"] == 2);
}

TEST_CASE("counts do not stop at 32 bits", "[access_counter]") {
  const Region global;
  AccessCounter counter;
  Access access;
  access.region = &global;
  access.size = 1u << 30;
  for (int i = 0; i < 8; ++i) counter.on_access(access);
  CHECK(counter.counters()["global_load_bytes"] == std::uint64_t{8} << 30);
}
