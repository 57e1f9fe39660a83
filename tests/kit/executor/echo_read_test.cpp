// Reads that only the compiler makes, of a value just assigned, and other reads that look similar.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "executor/machine/machine.hpp"
#include "machine_bench.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::machine_bench;

TEST_CASE("a read of what the thread has just written on the same line is the compiler's, not the kernel's", "[machine]") {
  Bench bench;
  const auto touch = [&](AccessKind kind, std::uintptr_t at, std::uintptr_t where, std::size_t size = 4, bool is_volatile = false) {
    bench.machine.access(bench.a->base + at, size, kind, is_volatile, {where, 0});
  };
  std::vector<std::size_t> announced;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    const auto after_a_write = [&](auto... read) {
      touch(AccessKind::write, 8, 160);
      const std::size_t before = bench.events.accesses.size();
      touch(AccessKind::read, read...);
      announced.push_back(bench.events.accesses.size() - before);
    };
    after_a_write(8, 161);                        // `y = ++p[2]`
    after_a_write(8, 176);                        // on the next line
    after_a_write(12, 161);                       // another element
    after_a_write(8, 161, std::size_t{2});        // a part of it
    after_a_write(8, 161, std::size_t{4}, true);  // volatile: another thread may have written since
    touch(AccessKind::read, 8, 161);              // the second read in a row
    announced.push_back(bench.events.accesses.size());
    touch(AccessKind::write, 8, 160);
    bench.machine.edge(162);
    touch(AccessKind::read, 8, 161);  // in the next iteration of a loop
    announced.push_back(bench.events.accesses.size());
  });
  CHECK(announced == std::vector<std::size_t>{0, 1, 1, 1, 1, 10, 12});
}

TEST_CASE("a read after another thread ran is the kernel's own", "[machine]") {
  Bench bench;
  bench.run({1, 1, 1}, {2, 1, 1}, [&] {
    const auto at = bench.a->base + 4 * bench.machine.running().ref.thread;
    bench.machine.access(at, 4, AccessKind::write, false, {160, 0});
    bench.machine.barrier(161, {}, 0);
    bench.machine.access(at, 4, AccessKind::read, false, {162, 0});
  });
  CHECK(bench.events.accesses.size() == 4);
}
