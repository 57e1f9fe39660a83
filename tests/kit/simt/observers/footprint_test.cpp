// Sectors and wavefronts follow from the words that a request accesses.
#include "simt/observers/warp_requests.hpp"

#include <catch2/catch_test_macros.hpp>

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
