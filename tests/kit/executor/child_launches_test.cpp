// Kernels that launch others: what runs when, with which numbers, and what is refused.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "executor/submission/submission_data.hpp"
#include "machine_bench.hpp"

using namespace tilelab::simt;
using machine_bench::Bench;

namespace {

std::string story;  // what the grids did, in their order
Bench* bench = nullptr;

struct Arguments {
  char name = 'a';
  int launches = 0;  // of the same kernel in turn
};

int launch(Arguments arguments, std::uint64_t stream = 0, Index3 grid = {1, 1, 1}, Index3 block = {1, 1, 1});

void child(void* copy) {
  const auto arguments = *static_cast<const Arguments*>(copy);
  const auto& running = bench->machine.running().ref;
  story += arguments.name + std::to_string(running.block) + "," + std::to_string(running.thread) + " ";
  if (arguments.launches > 0) launch({arguments.name, arguments.launches - 1});
}

int launch(Arguments arguments, std::uint64_t stream, Index3 grid, Index3 block) {
  const ChildGrid::Configuration configuration{grid, block, 0, stream};
  return bench->machine.launch_child(reinterpret_cast<std::uintptr_t>(&configuration), reinterpret_cast<std::uintptr_t>(&child),
                                     reinterpret_cast<std::uintptr_t>(&arguments), sizeof arguments, {machine_bench::pc, 0});
}

// What `kernel` and its children do, if blocks of more than 8 threads may not be launched.
std::string told_by(Index3 grid, Index3 block, const std::function<void()>& kernel) {
  Bench one;
  bench = &one;
  story.clear();
  const std::vector<std::uintptr_t> targets{reinterpret_cast<std::uintptr_t>(&child)};
  one.machine.may_call(targets);
  one.machine.may_launch([](const auto& asked) { return std::string(asked.block.x > 8 ? "The block is too large." : ""); });
  one.run(grid, block, kernel);
  if (one.machine.trapped()) story += one.machine.trapped()->why;
  return story;
}

}  // namespace

TEST_CASE("a child runs when its parent's grid has ended, and its blocks are numbered on", "[children]") {
  const auto kernel = [] {
    if (bench->machine.running().ref.block == 0) launch({'c'}, 0, {2, 1, 1}, {2, 1, 1});
    story += "p" + std::to_string(bench->machine.running().ref.block) + " ";
  };
  CHECK(told_by({3, 1, 1}, {1, 1, 1}, kernel) == "p0 p1 p2 c3,0 c3,1 c4,0 c4,1 ");
}

TEST_CASE("one stream of a block keeps its order, with all that a child launches before the next", "[children]") {
  CHECK(told_by({1, 1, 1}, {1, 1, 1}, [] {
          launch({'a', 2});
          launch({'b'});
        }) == "a1,0 a2,0 a3,0 b4,0 ");
}

TEST_CASE("the tail comes after everything else", "[children]") {
  CHECK(told_by({1, 1, 1}, {1, 1, 1}, [] {
          launch({'t'}, ChildGrid::tail_stream);
          launch({'a', 1});
          launch({'b'}, ChildGrid::detached_stream);
        }) == "a1,0 b2,0 a3,0 t4,0 ");
}

TEST_CASE("a launch that CUDA refuses does not happen, and its thread is told so once", "[children]") {
  CHECK(told_by({1, 1, 1}, {1, 1, 1}, [] {
          story += std::to_string(launch({'a'}, 0, {1, 1, 1}, {9, 1, 1}));
          story += std::to_string(bench->machine.last_launch_error(true));
          story += std::to_string(bench->machine.last_launch_error(true));
        }) == "990");
}

TEST_CASE("launches end at a depth of 24", "[children]") {
  const std::string all = told_by({1, 1, 1}, {1, 1, 1}, [] { launch({'a', 100}); });
  CHECK(std::count(all.begin(), all.end(), ' ') == 24);
}

TEST_CASE("more than 2,048 kernels that wait end the launch", "[children]") {
  const std::string all = told_by({1, 1, 1}, {1, 1, 1}, [] {
    for (int i = 0; i < 3000; ++i) launch({'a'});
  });
  CHECK(all.find("launches more than 2,048 kernels") == 0);
}

TEST_CASE("a function that is none of the submission's is not called", "[children]") {
  Bench one;
  bench = &one;
  one.machine.may_launch([](const auto&) { return std::string(); });
  one.run({1, 1, 1}, {1, 1, 1}, [] { launch({'a'}); });
  REQUIRE(one.machine.trapped());
  CHECK(std::string(one.machine.trapped()->why).find("no function of the file") != std::string::npos);
}

TEST_CASE("an argument that points to the thread's own memory is refused", "[children]") {
  struct Pointing {
    const void* to;
  };
  std::string answer;
  told_by({1, 1, 1}, {1, 1, 1}, [&answer] {
    const Pointing arguments{&arguments};
    const ChildGrid::Configuration configuration{{1, 1, 1}, {1, 1, 1}};
    answer = std::to_string(
        bench->machine.launch_child(reinterpret_cast<std::uintptr_t>(&configuration), reinterpret_cast<std::uintptr_t>(&child),
                                    reinterpret_cast<std::uintptr_t>(&arguments), sizeof arguments, {machine_bench::pc, 0}));
  });
  CHECK(answer == "1");
}
