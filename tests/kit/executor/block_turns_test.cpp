// Blocks that wait for each other: at the grid's barrier, or for values in global memory. What they keep meanwhile, and when the
// launch ends because nobody can go on.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "executor/device/thread_functions.hpp"
#include "executor/scheduler/block_order.hpp"
#include "machine_bench.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::machine_bench;

namespace {

struct Turns : Observer {
  std::vector<std::string> told;
  void on_block_begin(std::uint64_t block) override { told.push_back("begin " + std::to_string(block)); }
  void on_block_end(std::uint64_t block, std::uint32_t) override { told.push_back("end " + std::to_string(block)); }
  void on_block_parked(std::uint64_t block) override { told.push_back("parked " + std::to_string(block)); }
  void on_block_resumed(std::uint64_t block) override { told.push_back("resumed " + std::to_string(block)); }
  void on_grid_sync() override { told.push_back("all"); }
  void on_desertion(const DesertionEvent& event) override {
    told.push_back("desertion " + std::to_string(event.gone.block) + "." + std::to_string(event.gone.thread));
  }
};

// A machine with one buffer A and one shared array, and an observer of its turns.
class TurnBench {
 public:
  TurnBench() {
    announcer_.add(turns);
    Region buffer;
    buffer.bytes = 4 * 10'000;
    a = &memory_.add_buffer(buffer);
    Region array;
    array.space = Space::shared;
    array.base = reinterpret_cast<std::uintptr_t>(shared_block.data());
    array.bytes = 40;
    memory_.set_shared(array.base, shared_block.size(), {array});
  }
  void run(unsigned blocks, unsigned threads, const std::function<void()>& kernel, bool cooperative = true,
           std::optional<std::uint64_t> seed = {}, bool reversed = false) {
    LaunchEvent launch;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.cooperative = cooperative;
    machine.run(launch, kernel, seed, reversed);
  }
  int* word(unsigned at) const { return reinterpret_cast<int*>(a->base) + at; }
  // In two steps, as most kernels add.
  void add_plainly(unsigned at, int value) {
    machine.access(a->base + 4 * at, 4, AccessKind::read, false, {pc, 0});
    const int read = *word(at);
    machine.access(a->base + 4 * at, 4, AccessKind::write, false, {pc, 0});
    *word(at) = read + value;
  }
  // Polls until the word is not zero.
  void wait_for(unsigned at) {
    while (*word(at) == 0) machine.access(a->base + 4 * at, 4, AccessKind::read, true, {pc, 0});
  }
  unsigned block() const { return static_cast<unsigned>(machine.running().ref.block); }
  unsigned thread() const { return machine.running().ref.thread; }

  Turns turns;
  const Region* a = nullptr;

 private:
  MemoryMap memory_;
  Announcer announcer_;
  FiberStacks stacks_{64};

 public:
  Machine machine{memory_, announcer_, stacks_, 50'000'000};
};

}  // namespace

TEST_CASE("no thread passes the grid's barrier before all threads of all blocks have arrived", "[machine]") {
  const auto seed = GENERATE(std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{7});
  const bool reversed = GENERATE(false, true);
  TurnBench bench;
  int arrived = 0, wrong = 0;
  bench.run(
      5, 33,
      [&] {
        for (int phase = 1; phase <= 3; ++phase) {
          ++arrived;
          bench.machine.grid_barrier(pc);
          if (arrived < phase * 165) ++wrong;
        }
      },
      true, seed, reversed);
  CHECK_FALSE(bench.machine.timeout());
  CHECK(arrived == 495);
  CHECK(wrong == 0);
}

TEST_CASE("a block that waits keeps its locals, its shared memory and its place in the grid", "[machine]") {
  TurnBench bench;
  int right = 0;
  bench.run(4, 9, [&] {
    const int mine = static_cast<int>(bench.block() * 100 + bench.thread());
    volatile int local[20];
    for (int i = 0; i < 20; ++i) local[i] = mine + i;
    shared_block[bench.thread()] = static_cast<unsigned char>(bench.block() + 1);
    bench.machine.grid_barrier(pc);
    bool same = shared_block[bench.thread()] == bench.block() + 1 && cuda_on_cpu::blockIdx.x == bench.block();
    for (int i = 0; i < 20; ++i) same = same && local[i] == mine + i;
    if (same) ++right;
  });
  CHECK(right == 36);
}

TEST_CASE("a block's own barrier behind the grid's is its own", "[machine]") {
  TurnBench bench;
  int ended = 0;
  bench.run(3, 8, [&] {
    bench.machine.grid_barrier(pc);
    if (bench.block() != 1) bench.machine.barrier(pc + 16, BarrierReduction::none, 0);
    ++ended;
  });
  CHECK(ended == 24);
  CHECK(std::count(bench.turns.told.begin(), bench.turns.told.end(), "all") == 1);
  CHECK(std::count(bench.turns.told.begin(), bench.turns.told.end(), "parked 0") == 1);
}

TEST_CASE("observers hear of each turn", "[machine]") {
  TurnBench bench;
  bench.run(2, 1, [&] { bench.machine.grid_barrier(pc); });
  CHECK(bench.turns.told ==
        std::vector<std::string>{"begin 0", "parked 0", "begin 1", "parked 1", "all", "resumed 0", "end 0", "resumed 1", "end 1"});
}

TEST_CASE("a block or its first thread that left is missed at the grid's barrier, another thread is not", "[machine]") {
  const unsigned block = GENERATE(1u, 9u), thread = GENERATE(0u, 2u, 9u);
  TurnBench bench;
  bench.run(3, 4, [&] {
    if (bench.thread() == thread || bench.block() == block) return;
    bench.machine.grid_barrier(pc);
  });
  const auto told = [&](const std::string& what) { return std::count(bench.turns.told.begin(), bench.turns.told.end(), what) != 0; };
  CHECK(told("desertion 1.0") == (block == 1 || thread == 0));
  CHECK(told("desertion 0.0") == (thread == 0));
  CHECK_FALSE(bench.machine.timeout());
}

TEST_CASE("the grid's barrier in an ordinary launch is a trap", "[machine]") {
  TurnBench bench;
  bench.run(2, 1, [&] { bench.machine.grid_barrier(pc); }, false);
  REQUIRE(bench.machine.trapped());
  CHECK(std::string(bench.machine.trapped()->why).find("cooperative launch") != std::string::npos);
}

TEST_CASE("a block that polls what a later block sets goes on when it is set, and that is noted", "[machine]") {
  const bool all_spin = GENERATE(false, true), cooperative = GENERATE(false, true);
  TurnBench bench;
  int ended = 0;
  bench.run(
      5, 8,
      [&] {
        if (bench.block() == 4 && bench.thread() == 0) *bench.word(3) = 1;
        if (all_spin || bench.thread() == 0) bench.wait_for(3);
        bench.machine.barrier(pc, BarrierReduction::none, 0);
        ++ended;
      },
      cooperative);
  CHECK_FALSE(bench.machine.timeout());
  CHECK(ended == 40);
  CHECK((bench.machine.waited_for_later_block().pc == pc) == !cooperative);
}

TEST_CASE("a block that polls what an earlier block sets goes on in every order, and that is not noted", "[machine]") {
  const auto seed = GENERATE(std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{3});
  const bool reversed = GENERATE(false, true);
  TurnBench bench;
  bench.run(
      30, 2,
      [&] {
        if (bench.thread() == 0 && bench.block() != 0) bench.wait_for(bench.block() - 1);
        bench.machine.barrier(pc, BarrierReduction::none, 0);
        if (bench.thread() == 1) *bench.word(bench.block()) = 1;
      },
      false, seed, reversed);
  CHECK_FALSE(bench.machine.timeout());
  CHECK(*bench.word(29) == 1);
  CHECK(bench.machine.waited_for_later_block().pc == 0);
}

TEST_CASE("more blocks may wait for earlier ones than a GPU holds, if only the order here is to blame", "[machine]") {
  TurnBench bench;
  const unsigned blocks = static_cast<unsigned>(most_resident_blocks({.grid = {1, 1, 1}, .block = {1, 1, 1}})) + 50;
  bench.run(
      blocks, 1,
      [&] {
        if (bench.block() != 0) bench.wait_for(bench.block() - 1);
        *bench.word(bench.block()) = 1;
      },
      false, {}, true);
  CHECK_FALSE(bench.machine.timeout());
  CHECK(*bench.word(blocks - 1) == 1);
}

TEST_CASE("a launch ends if more blocks wait for later ones than a GPU holds", "[machine]") {
  TurnBench bench;
  const unsigned blocks = static_cast<unsigned>(most_resident_blocks({.grid = {1, 1, 1}, .block = {1, 1, 1}})) + 50;
  bench.run(
      blocks, 1,
      [&] {
        if (bench.block() == blocks - 1) *bench.word(1) = 1;
        bench.wait_for(1);
      },
      false);
  REQUIRE(bench.machine.timeout());
  CHECK(bench.machine.timeout()->too_many_wait);
  CHECK(bench.machine.timeout()->by.block == 0);
}

TEST_CASE("blocks that wait for each other time out as waiting, and one that gives up does not", "[machine]") {
  const bool gives_up = GENERATE(false, true);
  TurnBench bench;
  int tries = 0;
  bench.run(
      2, 1,
      [&] {
        while (*bench.word(1 - bench.block()) == 0 && (!gives_up || bench.block() == 0 || ++tries < 3000))
          bench.machine.access(bench.a->base + 4 * (1 - bench.block()), 4, AccessKind::read, true, {pc, 0});
        *bench.word(bench.block()) = 1;
      },
      false);
  CHECK(bench.machine.timeout().has_value() == !gives_up);
  if (!gives_up) CHECK(bench.machine.timeout()->waiting_for_another_thread);
}

TEST_CASE("blocks start as they are numbered, backwards or shuffled, and each once", "[machine]") {
  const bool shuffled = GENERATE(false, true), reversed = GENERATE(false, true), switches = GENERATE(false, true);
  std::mt19937_64 random(5);
  BlockOrder order(20, shuffled ? &random : nullptr, reversed);
  std::vector<std::uint64_t> blocks;
  while (!order.empty()) {
    if (switches && blocks.size() == 7) order.go_on_as_numbered();
    blocks.push_back(order.next());
  }
  if (switches) CHECK(std::is_sorted(blocks.begin() + 7, blocks.end()));
  CHECK(std::is_sorted(blocks.begin(), blocks.end()) == (!shuffled && !reversed));
  std::sort(blocks.begin(), blocks.end());
  for (std::uint64_t i = 0; i < 20; ++i) CHECK(blocks[i] == i);
}

TEST_CASE("a held thread writes what it has read when all other blocks have ended", "[turns]") {
  TurnBench bench;
  *bench.word(0) = 0;
  const auto kernel = [&] {
    if (bench.thread() != 1) return;
    bench.add_plainly(5, 1);
    bench.add_plainly(0, 10 * static_cast<int>(bench.block() + 1));
  };
  bench.run(3, 2, kernel, false);
  CHECK(*bench.word(0) == 60);
  *bench.word(0) = 0;
  bench.turns.told.clear();
  bench.machine.hold({.by = {0, 1}, .write = 1});
  bench.run(3, 2, kernel, false);
  CHECK(*bench.word(0) == 10);  // the 20 and the 30 are lost
  CHECK(bench.turns.told == std::vector<std::string>{"begin 0", "parked 0", "begin 1", "end 1", "begin 2", "end 2", "resumed 0", "end 0"});
  CHECK(bench.machine.waited_for_later_block().pc == 0);  // it did not wait for them: it was held
  CHECK_FALSE(bench.machine.timeout());
}

TEST_CASE("a thread that makes no such write is not held", "[turns]") {
  TurnBench bench;
  *bench.word(0) = 0;
  bench.machine.hold({.by = {1, 0}, .write = 7});
  bench.run(2, 1, [&] { bench.add_plainly(0, 1); }, false);
  CHECK(*bench.word(0) == 2);
  CHECK(bench.turns.told == std::vector<std::string>{"begin 0", "end 0", "begin 1", "end 1"});
}
