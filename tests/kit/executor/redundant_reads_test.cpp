// Reads that are not announced change no finding and no count.
#include "executor/redundant_reads.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "executor/observer_list.hpp"
#include "handmade_launch.hpp"

using namespace tilelab::simt;

namespace {

constexpr std::size_t words = 4;

// Needs every read.
class Listener final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  void on_access(const Access&) override { ++heard; }
  int heard = 0;
};

struct Seen {
  std::string findings;
  std::map<std::string, std::uint64_t> counters;
  bool needs_reversed_run = false;
  std::size_t announced = 0;
};

// A random block of 64 threads, announced as the machine would announce it.
class Rehearsal {
 public:
  explicit Rehearsal(bool without_redundant) {
    observers_.join(announcer_);
    if (without_redundant) redundant_ = announcer_.redundant();
    if (redundant_ != nullptr) redundant_->begin_launch(region_.bytes);
    LaunchEvent launch;
    launch.block = {64, 1, 1};
    launch.shared_span = region_.bytes;
    launch.redundant = redundant_;
    announcer_.announce(&Observer::on_launch_begin, launch);
  }

  Seen run(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
    const bool with_atomics = below(2) == 0, with_fences = below(4) == 0, with_warps = below(2) == 0;
    for (std::uint64_t block = 0; block < 2; ++block) {
      announcer_.announce(&Observer::on_block_begin, block);
      std::uint32_t interval = 0;
      std::array<std::uint32_t, 64> warp_intervals{};
      for (int step = 0; step < 200; ++step) {
        const std::uint32_t thread = below(8) * 7;
        if (below(40) == 0) {
          announcer_.announce(&Observer::on_barrier, BarrierEvent{block, interval++, 0x99, 0});
          warp_intervals = {};
        } else if (with_warps && below(20) == 0) {
          sync(block, thread / 32, below(3) == 0 ? 0x0000FFFFu : ~0u, warp_intervals);
        } else if (with_fences && below(30) == 0) {
          announcer_.announce(&Observer::on_fence, FenceEvent{{block, thread}, 0x98, false});
        } else {
          const unsigned dice = below(10);
          const AccessKind kind = dice < 8 ? AccessKind::read : dice == 8 || !with_atomics ? AccessKind::write : AccessKind::atomic;
          touch({block, thread}, kind, interval, warp_intervals[thread], below(words), below(3));
        }
      }
      announcer_.announce(&Observer::on_block_end, block, interval);
    }
    announcer_.announce(&Observer::on_launch_end);
    return seen();
  }

 private:
  void sync(std::uint64_t block, std::uint32_t warp, std::uint32_t mask, std::array<std::uint32_t, 64>& intervals) {
    std::uint32_t latest = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) != 0) latest = std::max(latest, intervals[warp * 32 + lane]);
    }
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) != 0) intervals[warp * 32 + lane] = latest + 1;
    }
    announcer_.announce(&Observer::on_warp_sync, WarpSyncEvent{block, warp, mask, latest + 1, 0x97});
  }

  void touch(ThreadRef by, AccessKind kind, std::uint32_t interval, std::uint32_t warp_interval, unsigned word, unsigned statement) {
    Access access;
    access.size = statement == 2 && word % 2 == 0 ? 8 : 4;
    access.kind = kind;
    access.space = Space::shared;
    access.region = &region_;
    access.offset = word * 4;
    access.address = region_.base + access.offset;
    access.pc = access.instruction = 0x10 * (1 + statement) + static_cast<unsigned>(kind);
    access.by = by;
    access.interval = interval;
    access.warp_interval = warp_interval;
    if (redundant_ != nullptr && kind == AccessKind::read) {
      const bool covered = access.size == 8 ? redundant_->covers<8>(access.offset, access.pc, by.thread, warp_interval)
                                            : redundant_->covers<4>(access.offset, access.pc, by.thread, warp_interval);
      if (covered) return redundant_->count_shared(access.size);
    }
    ++announced_;
    announcer_.access(access);
  }

  Seen seen() {
    Seen seen;
    for (const RawFinding& f : observers_.log().deduplicated()) {
      seen.findings += std::to_string(static_cast<int>(f.kind)) + " " + std::to_string(f.offset) + " " + std::to_string(f.site.pc) +
                       " by " + std::to_string(f.site.by.block) + ":" + std::to_string(f.site.by.thread) + ", " +
                       std::to_string(f.other.pc) + " by " + std::to_string(f.other.by.thread) + ", " + std::to_string(f.count) +
                       " times\n";
    }
    seen.counters = observers_.get<AccessCounter>().counters();
    seen.needs_reversed_run = observers_.get<RaceDetector>().needs_reversed_run();
    seen.announced = announced_;
    return seen;
  }

  const Region region_ = shared_region(words * 4);
  ObserverList observers_{RaceDetector::SameValue::races};
  Announcer announcer_;
  RedundantReads* redundant_ = nullptr;
  std::size_t announced_ = 0;
};

}  // namespace

TEST_CASE("what is not announced changes no finding and no count", "[redundant_reads]") {
  std::size_t spared = 0, found = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Seen redundant = Rehearsal(true).run(seed), everything = Rehearsal(false).run(seed);
    INFO("seed " << seed);
    REQUIRE(redundant.findings == everything.findings);
    REQUIRE(redundant.counters == everything.counters);
    REQUIRE(redundant.needs_reversed_run == everything.needs_reversed_run);
    spared += everything.announced - redundant.announced;
    found += everything.findings.empty() ? 0 : 1;
  }
  CHECK(spared > 1000);
  CHECK(found > 100);
}

TEST_CASE("a word is redundant for one statement in one interval, whichever thread reads it", "[redundant_reads]") {
  RedundantReads redundant;
  redundant.begin_launch(64);
  CHECK_FALSE(redundant.covers<4>(8, 0x10, 5, 0));
  redundant.offer(2, 0x10, 0, 5, 5, 0);
  CHECK(redundant.covers<4>(8, 0x10, 9, 0));
  CHECK(redundant.covers<4>(8, 0x10, 3, 0));
  CHECK_FALSE(redundant.covers<4>(8, 0x20, 5, 0));   // another statement
  CHECK_FALSE(redundant.covers<4>(8, 0x10, 5, 1));   // after a __syncwarp()
  CHECK_FALSE(redundant.covers<4>(12, 0x10, 5, 0));  // another word
  CHECK_FALSE(redundant.covers<4>(9, 0x10, 5, 0));   // parts of two words
  CHECK_FALSE(redundant.covers<8>(8, 0x10, 5, 0));   // one word that was offered and one that was not
  const RedundantReads::Word* word = redundant.drop(2);
  REQUIRE(word != nullptr);
  CHECK(word->lowest == 3);
  CHECK(word->highest == 9);
  CHECK_FALSE(redundant.covers<4>(8, 0x10, 5, 0));
  CHECK(redundant.drop(2) == nullptr);
  redundant.offer(2, 0x10, 0, 5, 5, 0);
  redundant.begin_interval();
  CHECK_FALSE(redundant.covers<4>(8, 0x10, 5, 0));
  CHECK_FALSE(redundant.covers<16>(56, 0x10, 5, 0));  // past the last word
}

TEST_CASE("what does not fit a redundant word's fields is announced", "[redundant_reads]") {
  RedundantReads redundant;
  redundant.begin_launch(64);
  const std::uintptr_t far = std::uintptr_t{1} << 32 | 0x10;
  redundant.offer(0, far, 0, 1, 1, 0);
  CHECK_FALSE(redundant.covers<4>(0, far, 1, 0));
  CHECK_FALSE(redundant.covers<4>(0, 0x10, 1, 0));
  redundant.offer(0, 0x10, 1u << 16, 1, 1, 0);
  CHECK_FALSE(redundant.covers<4>(0, 0x10, 1, 0));
  CHECK_FALSE(redundant.covers<4>(0, 0x10, 1, 1u << 16));
}

TEST_CASE("redundant reads are told to those who need every read, and to nobody else", "[redundant_reads]") {
  ObserverList observers(RaceDetector::SameValue::races);
  Announcer announcer;
  observers.join(announcer);
  CHECK(announcer.redundant() != nullptr);
  CHECK_FALSE(announcer.reads_are_followed());
  Listener listener, other;
  std::tuple<Listener&> together{other};
  announcer.add(listener);
  announcer.add_together(together);
  CHECK(announcer.redundant() != nullptr);
  CHECK(announcer.reads_are_followed());
  Access access;
  access.space = Space::shared;
  announcer.redundant_read(access);
  CHECK(listener.heard == 1);
  CHECK(other.heard == 1);
}

TEST_CASE("no read is redundant where one of those that it was kept for needs it", "[redundant_reads]") {
  RedundantReads redundant;
  Listener listener;
  std::tuple<Listener&> together{listener};
  Announcer announcer;
  announcer.add_together(together, &redundant);
  CHECK(announcer.redundant() == nullptr);
}
