// Sectors and wavefronts follow from the words that a request accesses. What joins the requests of its warp directly is counted as if it
// had been announced.
#include "executor/observers/warp_requests.hpp"

#include <array>
#include <optional>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "executor/machine/machine.hpp"
#include "executor/observer_list.hpp"

using namespace tilelab::simt;

namespace {

constexpr std::uintptr_t base = 1u << 20;

// 32 lanes that each access `size` bytes, `stride` bytes apart.
std::uint32_t strided(FootprintPool& pool, std::uintptr_t stride, std::uint32_t size = 4, std::uintptr_t first = base) {
  std::uint32_t head = FootprintPool::end;
  for (unsigned lane = 0; lane < 32; ++lane) head = pool.add(head, first + lane * stride, size);
  return head;
}

}  // namespace

TEST_CASE("neighbouring floats are four sectors and one wavefront", "[footprint]") {
  FootprintPool pool;
  const auto head = strided(pool, 4);
  CHECK(pool.sectors(head) == 4);
  CHECK(pool.words(head) == 32);
  CHECK(pool.most_words_of_a_bank(head) == 1);
}

TEST_CASE("floats that straddle a sector's edge are five sectors", "[footprint]") {
  FootprintPool pool;
  CHECK(pool.sectors(strided(pool, 4, 4, base + 16)) == 5);
}

TEST_CASE("one word for all is broadcast", "[footprint]") {
  FootprintPool pool;
  const auto head = strided(pool, 0);
  CHECK(pool.sectors(head) == 1);
  CHECK(pool.most_words_of_a_bank(head) == 1);
}

TEST_CASE("a stride of a row asks one bank for every lane's word", "[footprint]") {
  FootprintPool pool;
  const auto head = strided(pool, 128);
  CHECK(pool.sectors(head) == 32);
  CHECK(pool.most_words_of_a_bank(head) == 32);
}

TEST_CASE("a stride of 33 words asks every bank for one", "[footprint]") {
  FootprintPool pool;
  CHECK(pool.most_words_of_a_bank(strided(pool, 132)) == 1);
}

TEST_CASE("bytes of one word are one word", "[footprint]") {
  FootprintPool pool;
  const auto head = strided(pool, 1, 1);
  CHECK(pool.words(head) == 8);
  CHECK(pool.sectors(head) == 1);
}

TEST_CASE("an access across two rows touches both", "[footprint]") {
  FootprintPool pool;
  const auto head = pool.add(FootprintPool::end, base + 120, 16);
  CHECK(pool.words(head) == 4);
  CHECK(pool.sectors(head) == 2);
}

TEST_CASE("four bytes are added in the short way as in the long one", "[footprint]") {
  for (const std::uintptr_t stride : {0, 1, 3, 4, 8, 132, 4096}) {
    FootprintPool pool, other;
    std::uint32_t head = FootprintPool::end, expected = FootprintPool::end;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t size = 1 + lane % 4;
      head = pool.add_narrow(head, base + lane * stride, size);
      expected = other.add(expected, base + lane * stride, size);
    }
    CHECK(pool.add_narrow(head, base, 0) == head);
    CHECK(pool.words(head) == other.words(expected));
    CHECK(pool.sectors(head) == other.sectors(expected));
    CHECK(pool.most_words_of_a_bank(head) == other.most_words_of_a_bank(expected));
  }
}

namespace {

constexpr std::size_t words = 96;
alignas(16) std::array<float, words> tile;

// Hears of every read and edge, so that nothing can be told directly.
class Listener final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  bool follows_control() const override { return true; }
};

// Two loops, one in the other, in the function [0x100, 0x200).
LoopMap loops() { return LoopMap({{0x110, 0x190}, {0x120, 0x140}}, {{0x100, 0x200}}); }

struct Counted {
  std::string tallies;
  std::uint64_t most_words = 0, all_words = 0, events = 0;
  bool directly = false;
  friend bool operator==(const Counted& one, const Counted& other) {
    return one.tallies == other.tallies && one.most_words == other.most_words && one.all_words == other.all_words &&
           one.events == other.events;
  }
};

// A launch whose lanes read much, and now and then go other ways than their neighbours. All of it follows from the seed.
Counted count(unsigned seed, bool is_heard) {
  MemoryMap memory;
  Region buffer, array;
  buffer.name = "A";
  buffer.role = BufferRole::input;
  buffer.bytes = words * 4;
  const Region& input = memory.add_buffer(buffer);
  array.name = "As";
  array.space = Space::shared;
  array.base = reinterpret_cast<std::uintptr_t>(tile.data());
  array.bytes = sizeof tile;
  memory.set_shared(array.base, sizeof tile, {array});
  Announcer announcer;
  ObserverList observers(RaceDetector::SameValue::races);
  observers.join(announcer);
  TrafficObservers traffic(loops());
  traffic.join(announcer);
  Listener listener;
  if (is_heard) announcer.add(listener);
  FiberStacks stacks(80);
  Machine machine(memory, announcer, stacks, 10'000'000);
  machine.watch_locals(traffic.locals());
  const auto read = [&](std::uintptr_t address, std::uintptr_t pc, std::size_t size) {
    const std::array<std::uintptr_t, 2> link{};
    if (size == 4) machine.read<4>(address, pc, link.data());
    if (size == 8) machine.read<8>(address, pc, link.data());
  };
  LaunchEvent launch{.grid = {2, 1, 1}, .block = {80, 1, 1}};
  launch.shared_span = sizeof tile;
  machine.run(
      launch,
      [&] {
        const ThreadRef by = machine.running().ref;
        std::mt19937 random(seed * 100 + (seed % 3 == 0 ? by.thread % 5 : by.thread / 40));
        const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
        machine.called(0x101, 0x50, 0);
        for (unsigned outer = 0; outer < 3; ++outer) {
          machine.edge(0x110);
          machine.access(array.base + by.thread * 4, 4, AccessKind::write, false, {0x111, 0});
          machine.barrier(0x112, BarrierReduction::none, 0);
          for (unsigned inner = 0; inner < 1 + below(6); ++inner) {
            machine.edge(0x120);
            read(array.base + (by.thread + inner) % 80 * 4, 0x121, 4);
            read(array.base + inner * 8, 0x122, 8);
            read(input.base + (by.thread * (seed % 7) + inner) % words * 4, 0x123, 4);
            if (below(4) == 0) {
              machine.edge(0x130);
              read(input.base + below(8) * 4 + (seed % 5 == 0 ? 2 : 0), 0x131, 4);
            }
            machine.edge(0x140);
          }
          machine.edge(0x150);
          if (below(5) == 0) read(array.base + by.thread * 4, 0x151, 4);
          machine.barrier(0x160, BarrierReduction::none, 0);
          machine.edge(0x190);
        }
        machine.returned();
      },
      seed % 2 == 0 ? std::optional<std::uint64_t>{} : seed);
  Counted counted;
  counted.directly = announcer.requests_told_directly() != nullptr;
  for (const RequestTally& one : traffic.requests().tallies()) {
    for (const std::uint64_t number :
         {std::uint64_t{one.pc}, one.requests, one.sectors, one.wavefronts, one.least_sectors, one.least_wavefronts})
      counted.tallies += std::to_string(number) + " ";
    counted.tallies += "\n";
  }
  counted.most_words = traffic.share().most_words();
  counted.all_words = traffic.share().all_words();
  counted.events = machine.events();
  return counted;
}

}  // namespace

TEST_CASE("what is told directly is counted as if it had been announced", "[warp_requests]") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Counted directly = count(seed, false), announced = count(seed, true);
    INFO("seed " << seed << "\n" << directly.tallies << "\n" << announced.tallies);
    REQUIRE(directly.directly);
    REQUIRE_FALSE(announced.directly);
    REQUIRE(directly == announced);
    REQUIRE(directly.all_words > 1000);
  }
}

TEST_CASE("a read that is not the next on its lane's way, or no whole word of the first row, does not join", "[warp_requests]") {
  WarpRequests requests(loops());
  requests.make_room(32);
  WarpRequests::Warp& warp = requests.warps()[0];
  warp.requests.push_back({.instruction = 0x121, .lanes = 1});
  warp.requests.back().words = warp.words.add(WarpRequests::no, 0x1000, 4);
  requests.runs({0, 1});
  CHECK_FALSE(requests.joins(0x1004, 0x122));
  CHECK_FALSE(requests.joins(0x2004, 0x121));
  CHECK(requests.joins(0x1004, 0x121));
  CHECK_FALSE(requests.joins(0x1008, 0x121));  // there is no next one
  requests.runs({0, 0});
  CHECK_FALSE(requests.joins(0x1000, 0x121));  // this lane has been there
  CHECK(warp.requests[0].lanes == 3);
  CHECK(warp.words.words(warp.requests[0].words) == 2);
  CHECK(requests.joined_by(1) == 1);
}
