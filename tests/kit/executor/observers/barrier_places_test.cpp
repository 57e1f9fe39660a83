// What a thread that left would have written is said only where one formula gives what all others wrote.
#include "executor/observers/barrier_places.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

// The stores of the first `rows` rows of a block of 8 x 4 threads: tile[y][x] with rows of `pitch` elements.
std::vector<StoredWord> tile(std::uint32_t rows, std::int64_t pitch = 9) {
  std::vector<StoredWord> stores;
  for (std::uint32_t y = 0; y < rows; ++y) {
    for (std::uint32_t x = 0; x < 8; ++x) stores.push_back({y * 8 + x, 4 * (y * pitch + x)});
  }
  return stores;
}

constexpr Index3 block{8, 4, 1};

}  // namespace

TEST_CASE("the element of a thread follows from those of its neighbours", "[missed_store]") {
  CHECK(missed_store(tile(3), block, 3 * 8 + 5, 24) == 4 * (3 * 9 + 5));
  CHECK(missed_store(tile(2), block, 3 * 8 + 5, 16) == 4 * (3 * 9 + 5));
  auto transposed = tile(3);
  for (StoredWord& one : transposed) one.offset = 4 * (one.thread % 8 * 33 + one.thread / 8);
  CHECK(missed_store(transposed, block, 3 * 8 + 5, 24) == 4 * (5 * 33 + 3));
}

TEST_CASE("nothing is said where it is not certain", "[missed_store]") {
  CHECK_FALSE(missed_store(tile(1), block, 3 * 8 + 5, 8));      // how far rows are apart is not known
  CHECK_FALSE(missed_store(tile(3), block, 3 * 8 + 5, 25));     // somebody wrote nothing
  CHECK_FALSE(missed_store(tile(3, 0), block, 3 * 8 + 5, 24));  // somebody wrote it
  CHECK_FALSE(missed_store({}, block, 5, 0));
  auto crooked = tile(3);
  crooked[20].offset += 4;
  CHECK_FALSE(missed_store(crooked, block, 3 * 8 + 5, 24));
  auto twice = tile(3);
  twice.pop_back();
  twice.push_back(twice.front());
  CHECK_FALSE(missed_store(twice, block, 3 * 8 + 5, 24));
}
