// Results of warp operations, compared with the definitions of the CUDA C++ Programming Guide, written again here lane by lane.
#include "executor/scheduler/warp_operation.hpp"

#include <bit>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab::simt;

namespace {

using Lanes = std::array<LaneRequest, 32>;

bool in(std::uint32_t mask, std::uint32_t lane) { return ((mask >> lane) & 1u) != 0; }

Lanes requests(WarpOperation operation, std::mt19937_64& random, std::uint64_t largest_value) {
  Lanes lanes;
  for (LaneRequest& lane : lanes) {
    lane.operation = operation;
    lane.value = random() & largest_value;
    lane.source = static_cast<std::uint32_t>(random() % 32);
  }
  return lanes;
}

// Masks to test: all lanes, one lane, the first and the last, and some random ones.
std::vector<std::uint32_t> masks(std::mt19937_64& random) {
  std::vector<std::uint32_t> all{0xFFFFFFFFu, 1u, 0x80000000u, 0x80000001u, 0x0000FFFFu};
  for (int i = 0; i < 20; ++i) all.push_back(static_cast<std::uint32_t>(random()) | 2u);
  return all;
}

template <typename Fold>
void check_reduction(WarpOperation operation, Fold fold) {
  std::mt19937_64 random(static_cast<unsigned>(operation));
  for (const std::uint32_t mask : masks(random)) {
    const Lanes lanes = requests(operation, random, 0xFFFFFFFFu);
    auto expected = static_cast<std::uint32_t>(lanes[static_cast<std::size_t>(std::countr_zero(mask))].value);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (in(mask, lane) && (mask & ((1u << lane) - 1u)) != 0) expected = fold(expected, static_cast<std::uint32_t>(lanes[lane].value));
    }
    const auto results = combine(lanes, mask);
    for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(results[lane] == (in(mask, lane) ? expected : 0u));
  }
}

std::int32_t as_signed(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

}  // namespace

TEST_CASE("reductions combine the values of the lanes that came, and every one of them gets the result", "[warp_operation]") {
  using U = std::uint32_t;
  check_reduction(WarpOperation::reduce_add, [](U a, U b) { return a + b; });
  check_reduction(WarpOperation::reduce_and, [](U a, U b) { return a & b; });
  check_reduction(WarpOperation::reduce_or, [](U a, U b) { return a | b; });
  check_reduction(WarpOperation::reduce_xor, [](U a, U b) { return a ^ b; });
  check_reduction(WarpOperation::reduce_min_unsigned, [](U a, U b) { return a < b ? a : b; });
  check_reduction(WarpOperation::reduce_max_unsigned, [](U a, U b) { return a > b ? a : b; });
  check_reduction(WarpOperation::reduce_min_signed, [](U a, U b) { return as_signed(a) < as_signed(b) ? a : b; });
  check_reduction(WarpOperation::reduce_max_signed, [](U a, U b) { return as_signed(a) > as_signed(b) ? a : b; });
}

TEST_CASE("a sum of 32-bit values wraps and leaves nothing above bit 31", "[warp_operation]") {
  Lanes lanes;
  for (LaneRequest& lane : lanes) lane = {WarpOperation::reduce_add, ~0u, 0x80000000u, 0};
  CHECK(combine(lanes, 0b111)[0] == 0x80000000u);
  CHECK(combine(lanes, 0b11)[1] == 0);
}

TEST_CASE("a signed minimum of sign-extended values is a 32-bit value", "[warp_operation]") {
  Lanes lanes;
  for (LaneRequest& lane : lanes) lane = {WarpOperation::reduce_min_signed, ~0u, 5, 0};
  lanes[3].value = 0xFFFFFFFEu;  // -2
  CHECK(combine(lanes, 0xFF)[0] == 0xFFFFFFFEu);
}

TEST_CASE("votes ask the lanes that came", "[warp_operation]") {
  std::mt19937_64 random(3);
  for (const std::uint32_t mask : masks(random)) {
    for (const bool nearly : {false, true}) {
      Lanes lanes = requests(WarpOperation::vote_all, random, nearly ? 0 : 1);
      if (nearly) {
        for (LaneRequest& lane : lanes) lane.value = 1;
        lanes[1].value = 0;
      }
      std::uint32_t set = 0;
      for (std::uint32_t lane = 0; lane < 32; ++lane) set |= static_cast<std::uint32_t>(lanes[lane].value) << lane;
      set &= mask;
      const auto first = static_cast<std::size_t>(std::countr_zero(mask));
      CHECK(combine(lanes, mask)[first] == (set == mask ? 1u : 0u));
      for (LaneRequest& lane : lanes) lane.operation = WarpOperation::vote_any;
      CHECK(combine(lanes, mask)[first] == (set != 0 ? 1u : 0u));
      for (LaneRequest& lane : lanes) lane.operation = WarpOperation::ballot;
      CHECK(combine(lanes, mask)[first] == set);
    }
  }
}

TEST_CASE("a shuffle reads its source lane's value, in full width", "[warp_operation]") {
  std::mt19937_64 random(5);
  for (const std::uint32_t mask : masks(random)) {
    const Lanes lanes = requests(WarpOperation::shuffle, random, ~std::uint64_t{0});
    const auto results = combine(lanes, mask, 0x4242);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (!in(mask, lane)) continue;
      const std::uint32_t source = lanes[lane].source;
      CHECK(results[lane] == (in(mask, source) ? lanes[source].value : 0x4242));
    }
  }
}

TEST_CASE("a shuffle's source counts modulo the warp's width", "[warp_operation]") {
  Lanes lanes;
  for (std::uint32_t i = 0; i < 32; ++i) lanes[i] = {WarpOperation::shuffle, ~0u, 100 + i, 33};
  CHECK(combine(lanes, ~0u)[7] == 101);
}

TEST_CASE("match_any names the lanes with one's own value, match_all all of them or none", "[warp_operation]") {
  std::mt19937_64 random(9);
  for (const std::uint32_t mask : masks(random)) {
    for (const std::uint64_t largest : {0u, 1u, 3u}) {
      Lanes lanes = requests(WarpOperation::match_any, random, largest);
      const auto any = combine(lanes, mask);
      for (LaneRequest& lane : lanes) lane.operation = WarpOperation::match_all;
      const auto all = combine(lanes, mask);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (!in(mask, lane)) continue;
        std::uint32_t equal = 0;
        for (std::uint32_t other = 0; other < 32; ++other) {
          if (in(mask, other) && lanes[other].value == lanes[lane].value) equal |= 1u << other;
        }
        CHECK(any[lane] == equal);
        CHECK(all[lane] == (equal == mask ? mask : 0u));
      }
    }
  }
}

TEST_CASE("values that differ only above bit 31 do not match", "[warp_operation]") {
  Lanes lanes;
  for (LaneRequest& lane : lanes) lane = {WarpOperation::match_any, ~0u, 1, 0};
  lanes[0].value = (std::uint64_t{1} << 32) | 1;
  CHECK(combine(lanes, 0b11)[0] == 0b01);
  CHECK(combine(lanes, 0b11)[1] == 0b10);
}

TEST_CASE("the active mask is who came, and a bare synchronisation has no value", "[warp_operation]") {
  Lanes lanes;
  for (LaneRequest& lane : lanes) lane = {WarpOperation::active_mask, ~0u, 9, 0};
  CHECK(combine(lanes, 0x0F0F)[8] == 0x0F0F);
  for (LaneRequest& lane : lanes) lane.operation = WarpOperation::sync;
  CHECK(combine(lanes, 0x0F0F)[8] == 0);
  CHECK(combine(lanes, 0)[0] == 0);
}
