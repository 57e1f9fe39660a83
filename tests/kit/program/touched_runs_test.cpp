// Which bytes two pieces of work share.
#include "program/order/touched_runs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace tilelab::program;

namespace {

// `bytes` of one word.
TouchedRuns one(unsigned bytes, std::uint16_t reader = 1, std::uint16_t writer = 2) {
  return {{5, 6, {static_cast<std::uint16_t>(bytes), reader, writer}}};
}

}  // namespace

TEST_CASE("words that were touched alike are one run", "[touched_runs]") {
  std::vector<WordTouch> words(100);
  for (std::size_t i = 10; i < 20; ++i) words[i] = {0x0F0, 0, 7};
  words[15].writer = 8;
  const TouchedRuns runs = runs_of(words.data(), 0, words.size()).value();
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].first == 10);
  CHECK(runs[0].end == 15);
  CHECK(runs[2].end == 20);
  CHECK(runs_of(words.data(), 20, 100).value().empty());
}

TEST_CASE("more runs than anybody wants to keep are none", "[touched_runs]") {
  std::vector<WordTouch> words(2 * most_touched_runs + 4);
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] = {0x001, 0, 0};
  CHECK_FALSE(runs_of(words.data(), 0, words.size()));
  CHECK_FALSE(runs_of_rows(0, most_touched_runs, 4, 8, true));
}

TEST_CASE("bytes conflict where one side writes them", "[touched_runs]") {
  const unsigned read = WordTouch::read, written = WordTouch::written, atomic = WordTouch::atomic;
  CHECK(first_conflict(one(written), one(written)));
  CHECK(first_conflict(one(written), one(read)));
  CHECK(first_conflict(one(read), one(written)));
  CHECK(first_conflict(one(atomic), one(read)));
  CHECK(first_conflict(one(written), one(atomic)));
  CHECK_FALSE(first_conflict(one(read), one(read)));
  CHECK_FALSE(first_conflict(one(atomic), one(atomic)));
  CHECK_FALSE(first_conflict(one(written), one(written << 1)));  // another byte of the word
  const TouchConflict found = first_conflict(one(read << 2, 11, 12), one(written << 2, 21, 22)).value();
  CHECK(found.byte == 22);
  CHECK_FALSE(found.first_writes);
  CHECK(found.second_writes);
  CHECK(found.first_line == 11);
  CHECK(found.second_line == 22);
}

TEST_CASE("a run that conflicts is found behind runs that do not", "[touched_runs]") {
  const WordTouch writes{0x0F0, 0, 0};
  const TouchedRuns even{{0, 1, writes}, {2, 3, writes}, {4, 5, writes}, {6, 20, writes}};
  const TouchedRuns odd{{1, 2, writes}, {3, 4, writes}, {5, 6, writes}, {19, 21, writes}};
  CHECK(first_conflict(even, odd).value().byte == 76);
  CHECK_FALSE(first_conflict(even, {{20, 21, writes}}));
}

TEST_CASE("the rows of a copy are bytes, not words", "[touched_runs]") {
  const TouchedRuns rows = runs_of_rows(3, 2, 6, 7, true).value();  // bytes 3 to 8 and 10 to 15
  std::vector<bool> touched(20);
  for (const auto& run : rows) {
    for (std::size_t byte = run.first * 4; byte < run.end * 4; ++byte) touched.at(byte) = (run.touch.bytes >> 4 >> (byte % 4) & 1) != 0;
  }
  for (std::size_t byte = 0; byte < touched.size(); ++byte) CHECK(touched[byte] == (byte >= 3 && byte <= 15 && byte != 9));
  CHECK(runs_of_rows(8, 100, 16, 16, false).value().size() == 1);
}
