// What Nsight Compute counted on an H200 (CUDA 13.0, 21 November 2026) for one warp's access to shared memory, pattern by
// pattern. A pattern gives the element size, each lane's element and the active lanes, then wavefronts and bank conflicts.
#include <catch2/catch_test_macros.hpp>

#include "executor/observers/request_counter.hpp"

using namespace tilelab::simt;

namespace {

constexpr AccessKind read = AccessKind::read, write = AccessKind::write;

bool all(unsigned) { return true; }

unsigned reversed(unsigned i) { return (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4; }

struct Pattern {
  unsigned bytes;
  AccessKind kind;
  unsigned (*element)(unsigned lane);
  bool (*active)(unsigned lane);
  unsigned wavefronts, conflicts;
};

const Pattern patterns[] = {
    {8, read, [](unsigned i) { return i; }, all, 2, 0},
    {16, read, [](unsigned i) { return i; }, all, 4, 0},
    {8, read, [](unsigned) { return 0u; }, all, 1, 0},
    {16, read, [](unsigned) { return 0u; }, all, 2, 0},
    {8, read, [](unsigned i) { return i % 16u; }, all, 2, 0},
    {16, read, [](unsigned i) { return i % 8u; }, all, 4, 0},
    {16, read, [](unsigned i) { return i % 16u; }, all, 4, 0},
    {8, read, [](unsigned i) { return i / 16u; }, all, 1, 0},
    {16, read, [](unsigned i) { return i / 8u; }, all, 2, 0},
    {16, read, [](unsigned i) { return i / 16u; }, all, 2, 0},
    {8, read, [](unsigned i) { return i / 2u; }, all, 1, 0},
    {16, read, [](unsigned i) { return i / 2u; }, all, 2, 0},
    {16, read, [](unsigned i) { return i / 4u; }, all, 2, 0},
    {8, read, [](unsigned i) { return i / 4u; }, all, 1, 0},
    {8, read, [](unsigned i) { return 2u * i; }, all, 4, 2},
    {16, read, [](unsigned i) { return 2u * i; }, all, 8, 4},
    {16, read, [](unsigned i) { return 8u * i; }, all, 32, 28},
    {8, read, [](unsigned i) { return 16u * i; }, all, 32, 30},
    {16, read, [](unsigned i) { return i; }, [](unsigned i) { return i < 8u; }, 1, 0},
    {16, read, [](unsigned i) { return i; }, [](unsigned i) { return i % 8u == 0u; }, 4, 2},
    {8, read, [](unsigned i) { return i; }, [](unsigned i) { return i % 16u == 0u; }, 2, 1},
    {16, read, [](unsigned i) { return i; }, [](unsigned i) { return i % 2u == 0u; }, 4, 2},
    {8, read, [](unsigned i) { return i; }, [](unsigned i) { return i % 2u == 0u; }, 2, 1},
    {16, read, [](unsigned i) { return (i * 5u) % 32u; }, all, 4, 0},
    {16, read, [](unsigned i) { return (i % 4u) * 8u + i / 4u; }, all, 16, 12},
    {8, read, [](unsigned i) { return (i % 2u) * 16u + i / 2u; }, all, 4, 2},
    {16, read, [](unsigned i) { return reversed(i); }, all, 16, 12},
    {8, read, [](unsigned i) { return reversed(i); }, all, 4, 2},
    {16, read, [](unsigned i) { return (i * i * 7u + 3u * i) % 64u; }, all, 8, 4},
    {8, read, [](unsigned i) { return (i * i * 7u + 3u * i) % 64u; }, all, 4, 2},
    {4, read, [](unsigned i) { return (i * i * 7u + 3u * i) % 256u; }, all, 2, 1},
    {8, write, [](unsigned i) { return i; }, all, 2, 0},
    {16, write, [](unsigned i) { return i; }, all, 4, 0},
    {8, write, [](unsigned i) { return 2u * i; }, all, 4, 2},
    {16, write, [](unsigned i) { return 8u * i; }, all, 32, 28},
    {16, write, [](unsigned i) { return (i * i * 7u + 3u * i) % 64u; }, all, 8, 4},
    {8, write, [](unsigned i) { return (i * i * 7u + 3u * i) % 64u; }, all, 4, 2},
    {16, write, [](unsigned) { return 0u; }, all, 4, 0},
    {4, write, [](unsigned) { return 0u; }, all, 1, 0},
    {1, read, [](unsigned i) { return i; }, all, 1, 0},
    {2, read, [](unsigned i) { return i; }, all, 1, 0},
    {1, read, [](unsigned i) { return 4u * i; }, all, 1, 0},
    {8, read, [](unsigned i) { return i & 29u; }, all, 2, 1},
    {8, read, [](unsigned i) { return i & 27u; }, all, 2, 0},
    {8, read, [](unsigned i) { return i & 23u; }, all, 2, 0},
    {8, read, [](unsigned i) { return i & 28u; }, all, 2, 1},
    {16, read, [](unsigned i) { return i & 29u; }, all, 4, 2},
    {16, read, [](unsigned i) { return i & 27u; }, all, 4, 0},
    {16, read, [](unsigned i) { return i & 23u; }, all, 4, 0},
    {8, read, [](unsigned i) { return i < 16u ? i / 2u : i; }, all, 2, 0},
    {16, read, [](unsigned i) { return i < 16u ? i / 2u : i; }, all, 4, 0},
    {8, read, [](unsigned i) { return i < 16u ? (i & 30u) : (i & 29u); }, all, 2, 0},
    {16, read, [](unsigned i) { return i % 16u < 8u ? (i & 30u) : (i & 29u); }, all, 4, 0},
    {16, read, [](unsigned i) { return i < 16u ? (i & 30u) : (i & 29u); }, all, 4, 0},
    {8, read, [](unsigned i) { return i; }, [](unsigned i) { return (i & 2u) == 0u; }, 2, 1},
    {16, read, [](unsigned i) { return i; }, [](unsigned i) { return (i & 2u) == 0u; }, 4, 2},
    {8, read, [](unsigned i) { return i; }, [](unsigned i) { return (i & 4u) == 0u; }, 2, 0},
    {16, read, [](unsigned i) { return i; }, [](unsigned i) { return (i & 4u) == 0u; }, 4, 0},
    {8, read, [](unsigned i) { return i & 30u; }, [](unsigned i) { return (i % 4u) != 3u; }, 2, 1},
    {16, read, [](unsigned i) { return i & 30u; }, [](unsigned i) { return (i % 4u) != 3u; }, 4, 2},
    {8, read, [](unsigned i) { return (i & 30u) * 3u % 64u; }, all, 2, 1},
    {16, read, [](unsigned i) { return (i & 30u) * 3u % 64u; }, all, 4, 2},
    {16, read, [](unsigned i) { return (i & 29u) * 3u % 64u; }, all, 4, 2},
    {8, read, [](unsigned i) { return i; }, [](unsigned i) { return i < 16u; }, 1, 0},
    {8, read, [](unsigned i) { return i; }, [](unsigned i) { return i >= 8u && i < 24u; }, 2, 0},
    {16, read, [](unsigned i) { return i; }, [](unsigned i) { return i >= 4u && i < 20u; }, 3, 0},
    {8, write, [](unsigned i) { return i / 2u; }, all, 2, 0},
    {16, write, [](unsigned i) { return i / 2u; }, all, 4, 0},
    {8, write, [](unsigned i) { return i; }, [](unsigned i) { return i % 2u == 0u; }, 2, 0},
    {16, write, [](unsigned i) { return i; }, [](unsigned i) { return i % 2u == 0u; }, 4, 0},
    {8, write, [](unsigned) { return 0u; }, all, 2, 0},
    {16, write, [](unsigned i) { return i; }, [](unsigned i) { return i % 8u == 0u; }, 4, 0},
    {8, write, [](unsigned i) { return i; }, [](unsigned i) { return i % 16u == 0u; }, 2, 0},
    {16, write, [](unsigned i) { return i; }, [](unsigned i) { return i < 8u; }, 1, 0},
    {1, write, [](unsigned i) { return i; }, all, 1, 0},
    {8, read, [](unsigned i) { return i & 30u; }, all, 2, 1},
};

}  // namespace

TEST_CASE("wavefronts of shared memory are those of an H200, whatever the element's size and the lanes' order", "[request_counter]") {
  for (std::size_t row = 0; row < std::size(patterns); ++row) {
    const Pattern& pattern = patterns[row];
    INFO("pattern " << row << ", elements of " << pattern.bytes << " bytes");
    RequestCounter counter{LoopMap()};
    counter.on_launch_begin({.grid = {1, 1, 1}, .block = {32, 1, 1}});
    counter.on_block_begin(0);
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!pattern.active(lane)) continue;
      Access access;
      access.by = {0, lane};
      access.space = Space::shared;
      access.kind = pattern.kind;
      access.size = pattern.bytes;
      access.address = (1u << 20) + pattern.bytes * pattern.element(lane);
      counter.on_access(access);
    }
    counter.on_block_end(0, 0);
    REQUIRE(counter.tallies().size() == 1);
    const RequestTally tally = counter.tallies().front();
    CHECK(tally.requests == 1);
    CHECK(tally.wavefronts == pattern.wavefronts);
    CHECK(tally.wavefronts - tally.least_wavefronts == pattern.conflicts);
  }
}
