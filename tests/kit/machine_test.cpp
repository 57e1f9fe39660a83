// What the machine makes of a kernel's accesses: whose they are, which may go on, when enough is enough. The kernels
// here announce by hand what an instrumented one would.
#include "simt/machine.hpp"

#include <array>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "recorded_events.hpp"
#include "simt/builtin_variables.hpp"

using namespace tilelab::simt;

namespace {

constexpr std::uintptr_t pc = 0x1234;

alignas(16) std::array<unsigned char, 64> shared_block;

// A machine with a buffer A of 100 bytes and a shared array As of 40 bytes in a span of 64.
const std::array<int, 4> constants{1, 2, 3, 4};

// Places in the code, sixteen of them to a line.
bool on_one_line(std::uintptr_t one, std::uintptr_t other) { return one / 16 == other / 16; }

class Bench {
 public:
  explicit Bench(std::uint64_t budget = 1'000'000, std::uint32_t threads = 64, std::vector<AddressRange> header_code = {})
      : stacks_(threads), machine(memory_, announcer_, stacks_, budget, std::move(header_code), on_one_line) {
    announcer_.add(events);
    Region buffer;
    buffer.name = "A";
    buffer.bytes = 100;
    a = &memory_.add_buffer(buffer);
    Region array;
    array.name = "As";
    array.space = Space::shared;
    array.base = reinterpret_cast<std::uintptr_t>(shared_block.data());
    array.bytes = 40;
    memory_.set_shared(array.base, shared_block.size(), {array});
    Region table;
    table.base = reinterpret_cast<std::uintptr_t>(constants.data());
    table.bytes = sizeof constants;
    table.constant = true;
    memory_.add_module(table);
  }

  void run(Index3 grid, Index3 block, const std::function<void()>& kernel, std::optional<std::uint64_t> seed = {}) {
    LaunchEvent launch;
    launch.grid = grid;
    launch.block = block;
    machine.run(launch, kernel, seed);
  }
  // One thread that makes one access; whether it went on afterwards.
  bool survives(std::uintptr_t address, std::size_t size, AccessKind kind = AccessKind::read) {
    bool went_on = false;
    run({1, 1, 1}, {1, 1, 1}, [&] {
      machine.access(address, size, kind, false, pc, 0);
      went_on = true;
    });
    return went_on;
  }

  MemoryMap& memory() { return memory_; }
  std::uintptr_t as() const { return reinterpret_cast<std::uintptr_t>(shared_block.data()); }

  RecordedEvents events;
  const Region* a = nullptr;

 private:
  MemoryMap memory_;
  Announcer announcer_;
  FiberStacks stacks_;

 public:
  Machine machine;
};

}  // namespace

TEST_CASE("every thread of every block runs with its own indices, x fastest", "[machine]") {
  Bench bench;
  std::vector<std::uint64_t> blocks, threads;
  bench.run({2, 3, 2}, {4, 2, 2}, [&] {
    blocks.push_back(bench.machine.running().ref.block);
    threads.push_back(bench.machine.running().ref.thread);
  });
  CHECK(blocks.size() == 12 * 16);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i] == i / 16);
    CHECK(threads[i] == i % 16);
  }
  CHECK(bench.events.launches.size() == 1);
  CHECK(bench.events.launch_ends == 1);
}

TEST_CASE("a seed shuffles blocks and threads, the same way each time, and leaves none out", "[machine]") {
  std::vector<std::uint64_t> runs[3];
  const std::uint64_t seeds[3] = {1, 1, 2};
  for (int i = 0; i < 3; ++i) {
    Bench bench;
    bench.run(
        {5, 5, 1}, {8, 1, 1}, [&] { runs[i].push_back(bench.machine.running().ref.block * 8 + bench.machine.running().ref.thread); },
        seeds[i]);
  }
  CHECK(runs[0] == runs[1]);
  CHECK(runs[0] != runs[2]);
  std::sort(runs[2].begin(), runs[2].end());
  for (std::size_t i = 0; i < 200; ++i) CHECK(runs[2][i] == i);
}

TEST_CASE("an access inside declared memory is announced with region and offset, and goes on", "[machine]") {
  Bench bench;
  CHECK(bench.survives(bench.a->base + 96, 4, AccessKind::write));
  CHECK(bench.survives(bench.as() + 36, 4, AccessKind::atomic));
  REQUIRE(bench.events.accesses.size() == 2);
  const auto& [global, shared] = std::pair(bench.events.accesses[0], bench.events.accesses[1]);
  CHECK(global.region == bench.a);
  CHECK(global.space == Space::global);
  CHECK(global.offset == 96);
  CHECK(global.size == 4);
  CHECK(global.pc == pc);
  CHECK(shared.space == Space::shared);
  CHECK(shared.region->name == "As");
  CHECK(shared.offset == 36);
  CHECK(shared.kind == AccessKind::atomic);
  CHECK(bench.events.strays.empty());
}

TEST_CASE("the compiler's own note beside shared arrays is nobody's business", "[machine]") {
  Bench bench;
  const std::uintptr_t guard = bench.as() + 48;
  bench.memory().add_guard(guard, guard + 8);
  CHECK(bench.survives(guard, 1, AccessKind::read));
  CHECK(bench.survives(guard, 1, AccessKind::write));
  CHECK(bench.events.accesses.empty());
  CHECK(bench.events.strays.empty());
  CHECK(bench.survives(guard + 8, 1, AccessKind::read));
  CHECK(bench.events.strays.size() == 1);
}

TEST_CASE("an access that runs over into a red zone is stray, and harmless", "[machine]") {
  Bench bench;
  const std::uintptr_t base = bench.a->base, end = base + 100;
  for (const auto& [address, size] : std::initializer_list<std::pair<std::uintptr_t, std::size_t>>{
           {base - 1, 4}, {base - red_zone_bytes, 16}, {end, 4}, {end - 2, 4}, {end + red_zone_bytes - 16, 16}}) {
    bench.events.strays.clear();
    CHECK(bench.survives(address, size, AccessKind::write));
    REQUIRE(bench.events.strays.size() == 1);
    CHECK(bench.events.strays[0].nearest == bench.a);
  }
  CHECK(bench.events.accesses.empty());
  CHECK(bench.events.ended.empty());
}

TEST_CASE("an access beyond the red zones ends its thread before it happens", "[machine]") {
  Bench bench;
  const std::uintptr_t base = bench.a->base, end = base + 100;
  static int of_the_kit;
  for (const auto& [address, size] :
       std::initializer_list<std::pair<std::uintptr_t, std::size_t>>{{0, 4},
                                                                     {8, 4},
                                                                     {base - red_zone_bytes - 1, 4},
                                                                     {end + red_zone_bytes - 2, 4},
                                                                     {end, red_zone_bytes + 1},
                                                                     {base, std::numeric_limits<std::size_t>::max()},
                                                                     {std::numeric_limits<std::uintptr_t>::max() - 1, 4},
                                                                     {std::uintptr_t{1} << 63, 8},
                                                                     {reinterpret_cast<std::uintptr_t>(&of_the_kit), 4}}) {
    bench.events.strays.clear();
    CHECK_FALSE(bench.survives(address, size, AccessKind::write));
    CHECK(bench.events.strays.size() == 1);
  }
  CHECK(bench.events.accesses.empty());
}

TEST_CASE("past a shared array but inside the block's span goes on, past the span does not", "[machine]") {
  Bench bench;
  CHECK(bench.survives(bench.as() + 40, 4));
  CHECK(bench.survives(bench.as() + 38, 4));
  CHECK(bench.survives(bench.as() + 60, 4));
  CHECK_FALSE(bench.survives(bench.as() + 62, 4, AccessKind::write));
  CHECK_FALSE(bench.survives(bench.as() - 4, 4, AccessKind::write));
  CHECK_FALSE(bench.survives(bench.as() - 2, 4, AccessKind::write));
  REQUIRE(bench.events.strays.size() == 6);
  CHECK(bench.events.strays[0].nearest->name == "As");
}

TEST_CASE("a stray access ends one thread, not the launch", "[machine]") {
  Bench bench;
  int finished = 0;
  bench.run({2, 1, 1}, {8, 1, 1}, [&] {
    if (bench.machine.running().ref.thread == 3) bench.machine.access(16, 4, AccessKind::write, false, pc, 0);
    bench.machine.barrier(pc, BarrierReduction::none, 0);
    ++finished;
  });
  CHECK(finished == 14);
  CHECK(bench.events.ended == std::vector<std::uint32_t>{3, 3});
}

TEST_CASE("a bad subscript and a bad alignment end their thread", "[machine]") {
  Bench bench;
  int finished = 0;
  bench.run({1, 1, 1}, {3, 1, 1}, [&] {
    if (bench.machine.running().ref.thread == 0) bench.machine.index_outside({-1, 16}, pc, 0);
    if (bench.machine.running().ref.thread == 1) bench.machine.misaligned(bench.a->base + 1, 4, pc, 0);
    ++finished;
  });
  CHECK(finished == 1);
  REQUIRE(bench.events.indices.size() == 1);
  CHECK(bench.events.indices[0].index == -1);
  CHECK(bench.events.indices[0].bound == 16);
  REQUIRE(bench.events.misaligned.size() == 1);
  CHECK(bench.events.misaligned[0].thread == 1);
}

TEST_CASE("locals are not announced and cost nothing", "[machine]") {
  Bench bench;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    volatile int local = 0;
    bench.machine.access(reinterpret_cast<std::uintptr_t>(&local), 4, AccessKind::read, false, pc, 0);
  });
  CHECK(bench.events.accesses.empty());
  CHECK(bench.machine.events() == 0);
}

TEST_CASE("a thread's index may be read, never written", "[machine]") {
  Bench bench;
  CHECK(bench.survives(builtin_variables().first, 4));
  CHECK(bench.events.strays.empty());
  CHECK_FALSE(bench.survives(builtin_variables().first, 4, AccessKind::write));
  CHECK(bench.events.strays.size() == 1);
}

TEST_CASE("a write to the stack spares the links between frames and the kit's own frames", "[machine]") {
  // Two frames as a compiler lays them: a link to the caller's frame, then the return address. [4] belongs to a helper,
  // [10] to the kernel, [14] to the kit's call of it. Locals lie below these on x86-64, above them on 64-bit ARM.
  const auto [word, size, on_x86, on_arm] = GENERATE(table<std::size_t, std::size_t, bool, bool>({{0, 8, true, false},
                                                                                                  {3, 8, true, false},
                                                                                                  {3, 9, false, false},
                                                                                                  {4, 8, false, false},
                                                                                                  {5, 1, false, false},
                                                                                                  {6, 8, true, true},
                                                                                                  {6, 32, true, true},
                                                                                                  {6, 33, false, false},
                                                                                                  {10, 4, false, false},
                                                                                                  {11, 4, false, false},
                                                                                                  {12, 16, false, true},
                                                                                                  {13, 16, false, false},
                                                                                                  {14, 8, false, false},
                                                                                                  {15, 8, false, false},
                                                                                                  {17, 8, false, false}}));
#if defined(__aarch64__)
  const bool allowed = on_arm;
#else
  const bool allowed = on_x86;
#endif
  Bench bench;
  bool went_on = false;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    std::array<std::uintptr_t, 18> frames{};
    const auto at = [&frames](std::size_t i) { return reinterpret_cast<std::uintptr_t>(&frames[i]); };
    frames[4] = at(10);
    frames[10] = at(14);
    bench.machine.entered_kernel(at(14));
    bench.machine.access(at(word), size, AccessKind::write, false, pc, at(4));
    went_on = true;
  });
  CAPTURE(word, size, on_x86, on_arm);
  CHECK(went_on == allowed);
  CHECK(bench.events.strays.size() == (allowed ? 0u : 1u));
}

TEST_CASE("a frame chain that leads off the stack is followed no further", "[machine]") {
  Bench bench;
  const std::uintptr_t caller = GENERATE(std::uintptr_t{0}, std::uintptr_t{8}, std::numeric_limits<std::uintptr_t>::max());
  bool went_on = false;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    std::array<std::uintptr_t, 8> frames{};
    frames[0] = caller;
    bench.machine.entered_kernel(1);
    bench.machine.access(reinterpret_cast<std::uintptr_t>(&frames[4]), 8, AccessKind::write, false, pc,
                         reinterpret_cast<std::uintptr_t>(frames.data()));
    went_on = true;
  });
  CHECK(went_on);
}

TEST_CASE("an access by the kit's header code is its calling statement's", "[machine]") {
  Bench bench(1000, 64, {{0x100, 0x200}, {0x300, 0x400}});
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    std::array<std::uintptr_t, 8> frames{};
    const auto at = [&frames](std::size_t i) { return reinterpret_cast<std::uintptr_t>(&frames[i]); };
    frames[0] = at(4);
    frames[1] = 0x310;  // called by header code, which
    frames[4] = at(6);
    frames[5] = 0x555;  // the submission called
    bench.machine.access(bench.a->base, 4, AccessKind::read, false, 0x180, at(0));
    bench.machine.access(bench.a->base, 4, AccessKind::read, false, 0x250, at(0));  // between the two: not header code
    bench.machine.access(bench.a->base, 4, AccessKind::read, false, 0x180, 0);      // no frame to follow
  });
  REQUIRE(bench.events.accesses.size() == 3);
  CHECK(bench.events.accesses[0].pc == 0x555);
  CHECK(bench.events.accesses[1].pc == 0x250);
  CHECK(bench.events.accesses[2].pc == 0x180);
}

TEST_CASE("a launch ends when its budget is spent, at the event that spent it", "[machine]") {
  const bool by_edges = GENERATE(false, true);
  Bench bench(100);
  std::uint64_t steps = 0;
  bench.run({3, 1, 1}, {4, 1, 1}, [&] {
    for (;; ++steps) {
      if (by_edges)
        bench.machine.edge(pc);
      else
        bench.machine.access(bench.a->base, 4, AccessKind::read, false, pc, 0);
    }
  });
  CHECK(steps == 100);
  REQUIRE(bench.machine.timeout());
  CHECK(bench.machine.timeout()->pc == pc);
  CHECK(bench.machine.timeout()->by.block == 0);
  CHECK_FALSE(bench.machine.timeout()->waiting_for_another_thread);
  CHECK(bench.machine.events() == 100);
  CHECK(bench.events.blocks.size() == 1);
  CHECK(bench.events.launch_ends == 1);
}

TEST_CASE("a launch that spends exactly its budget completes", "[machine]") {
  Bench bench(12);
  bench.run({3, 1, 1}, {4, 1, 1}, [&] { bench.machine.edge(pc); });
  CHECK_FALSE(bench.machine.timeout());
  CHECK(bench.machine.events() == 12);
}

TEST_CASE("a thread that polls lets the one it waits for run", "[machine]") {
  const bool is_volatile = GENERATE(false, true);
  Bench bench;
  bool set = false;
  bench.run({1, 1, 1}, {2, 1, 1}, [&] {
    if (bench.machine.running().ref.thread == 1) set = true;
    while (!set) bench.machine.access(bench.a->base, 4, is_volatile ? AccessKind::read : AccessKind::atomic, is_volatile, pc, 0);
  });
  CHECK(set);
  CHECK_FALSE(bench.machine.timeout());
}

TEST_CASE("threads that wait for what nobody does time out as waiting", "[machine]") {
  Bench bench(100'000);
  bench.run({1, 1, 1}, {2, 1, 1}, [&] {
    for (;;) bench.machine.access(bench.a->base, 4, AccessKind::read, true, pc, 0);
  });
  REQUIRE(bench.machine.timeout());
  CHECK(bench.machine.timeout()->waiting_for_another_thread);
}

TEST_CASE("a block that spins while others have yet to run waits for one of them", "[machine]") {
  const bool one_thread = GENERATE(false, true);  // the others wait at a barrier, as in a grid-wide one
  Bench bench;
  bench.run({3, 1, 1}, {4, 1, 1}, [&] {
    while (!one_thread || bench.machine.running().ref.thread == 0) bench.machine.access(bench.a->base, 4, AccessKind::atomic, false, pc, 0);
    bench.machine.barrier(pc, BarrierReduction::none, 0);
  });
  REQUIRE(bench.machine.timeout());
  CHECK(bench.machine.timeout()->waiting_for_another_block);
  CHECK(bench.machine.timeout()->by.block == 0);
  CHECK(bench.machine.events() < 300'000);
}

TEST_CASE("the last block waits for no other, nor does one that spins on shared memory, counts or walks", "[machine]") {
  const std::string how = GENERATE("last block", "shared", "counts", "walks");
  Bench bench(400'000);
  bench.run({how == "last block" ? 1u : 2u, 1, 1}, {2, 1, 1}, [&] {
    for (std::uintptr_t i = 0;; ++i) {
      bench.machine.access(how == "shared" ? bench.as() : bench.a->base, 4, AccessKind::read, true, pc, 0);
      if (how == "counts") ++*reinterpret_cast<int*>(bench.a->base);
      if (how == "walks") bench.machine.access(bench.a->base + 4 + i % 23 * 4, 4, AccessKind::read, false, pc, 0);
    }
  });
  REQUIRE(bench.machine.timeout());
  CHECK_FALSE(bench.machine.timeout()->waiting_for_another_block);
}

TEST_CASE("threads that hand a turn from one to the next wait long, and for each other", "[machine]") {
  Bench bench(20'000'000);
  int turn = 0;  // each waits for its turn, and a long time passes between two turns
  bench.run({2, 1, 1}, {64, 1, 1}, [&] {
    const int mine = static_cast<int>(bench.machine.running().ref.thread) + 64 * static_cast<int>(bench.machine.running().ref.block);
    while (turn != mine) bench.machine.access(bench.a->base, 4, AccessKind::read, true, pc, 0);
    for (int i = 0; i < 30'000; ++i) bench.machine.access(bench.a->base + 4 + i % 20 * 4, 4, AccessKind::atomic, false, pc, 0);
    ++turn;
  });
  CHECK_FALSE(bench.machine.timeout());
  CHECK(turn == 128);
}

TEST_CASE("a trap ends the launch and says who and why", "[machine]") {
  Bench bench;
  int finished = 0;
  bench.run({4, 1, 1}, {4, 1, 1}, [&] {
    if (bench.machine.running().ref.block == 1 && bench.machine.running().ref.thread == 2) bench.machine.trap("calls __trap()", pc);
    ++finished;
  });
  CHECK(finished == 6);
  REQUIRE(bench.machine.trapped());
  CHECK(bench.machine.trapped()->by.block == 1);
  CHECK(bench.machine.trapped()->by.thread == 2);
  CHECK_FALSE(bench.machine.timeout());
}

TEST_CASE("shared memory holds the poison when a block starts, whatever the last one left there", "[machine]") {
  Bench bench;
  LaunchEvent launch;
  launch.grid = {3, 1, 1};
  launch.block = {1, 1, 1};
  launch.shared_poison = 0xA5;
  int clean = 0;
  bench.machine.run(
      launch,
      [&] {
        clean += std::all_of(shared_block.begin(), shared_block.begin() + 40, [](unsigned char byte) { return byte == 0xA5; }) ? 1 : 0;
        shared_block.fill(0);
      },
      {});
  CHECK(clean == 3);
}

TEST_CASE("accesses carry the interval and the warp interval they lie in", "[machine]") {
  Bench bench;
  const auto touch = [&] { bench.machine.access(bench.as(), 4, AccessKind::read, false, pc, 0); };
  bench.run({1, 1, 1}, {32, 1, 1}, [&] {
    touch();
    bench.machine.exchange(pc, {WarpOperation::sync, ~0u, 0, 0});
    touch();
    bench.machine.barrier(pc, BarrierReduction::none, 0);
    touch();
    bench.machine.fence(pc);
  });
  REQUIRE(bench.events.accesses.size() == 96);
  for (std::size_t i = 0; i < 96; ++i) {
    CHECK(bench.events.accesses[i].interval == (i < 64 ? 0u : 1u));
    CHECK(bench.events.accesses[i].warp_interval == (i >= 32 && i < 64 ? 1u : 0u));
  }
  CHECK(bench.events.fences.size() == 32);
}

TEST_CASE("a read of what the thread has just written on the same line is the compiler's, not the kernel's", "[machine]") {
  Bench bench;
  const auto touch = [&](AccessKind kind, std::uintptr_t at, std::uintptr_t where, std::size_t size = 4, bool is_volatile = false) {
    bench.machine.access(bench.a->base + at, size, kind, is_volatile, where, 0);
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
    after_a_write(8, 161, std::size_t{4}, true);  // volatile: somebody else may have written since
    touch(AccessKind::read, 8, 161);              // the second read in a row
    announced.push_back(bench.events.accesses.size());
    touch(AccessKind::write, 8, 160);
    bench.machine.edge(162);
    touch(AccessKind::read, 8, 161);  // in the next pass of a loop
    announced.push_back(bench.events.accesses.size());
  });
  CHECK(announced == std::vector<std::size_t>{0, 1, 1, 1, 1, 10, 12});
}

TEST_CASE("a read after another thread ran is the kernel's own", "[machine]") {
  Bench bench;
  bench.run({1, 1, 1}, {2, 1, 1}, [&] {
    const auto at = bench.a->base + 4 * bench.machine.running().ref.thread;
    bench.machine.access(at, 4, AccessKind::write, false, 160, 0);
    bench.machine.barrier(161, {}, 0);
    bench.machine.access(at, 4, AccessKind::read, false, 162, 0);
  });
  CHECK(bench.events.accesses.size() == 4);
}

TEST_CASE("reads of constants are nobody's business, what lies behind them is", "[machine]") {
  Bench bench;
  const auto table = reinterpret_cast<std::uintptr_t>(constants.data());
  CHECK(bench.survives(table, 4));
  CHECK(bench.survives(table + sizeof constants - 4, 4));
  CHECK(bench.events.accesses.empty());
  CHECK(bench.events.strays.empty());
  CHECK_FALSE(bench.survives(table + sizeof constants - 2, 4));
  CHECK(bench.events.strays.size() == 1);
}
