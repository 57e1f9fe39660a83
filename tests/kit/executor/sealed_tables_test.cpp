// Tables that a launch must leave as they are.
#include "executor/memory/sealed_tables.hpp"

#include <array>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using tilelab::simt::SealedTables;

TEST_CASE("tables that nobody has changed are intact", "[sealed_tables]") {
  const std::vector<int> lines{1, 2, 3};
  const std::array<char, 13> odd{'a', 'b'};
  SealedTables tables;
  tables.add(lines);
  tables.add(odd.data(), odd.size());
  tables.add(std::vector<int>{});
  REQUIRE(tables.intact());
  tables.seal();
  REQUIRE(tables.intact());
}

TEST_CASE("one bit in any byte of any table is noticed", "[sealed_tables]") {
  std::array<unsigned char, 13> first{}, second{};
  for (std::size_t at = 0; at < 2 * first.size(); ++at) {
    SealedTables tables;
    tables.add(first.data(), first.size());
    tables.add(second.data(), second.size());
    tables.seal();
    unsigned char& byte = at < first.size() ? first[at] : second[at - first.size()];
    byte ^= 0x10;
    CHECK_FALSE(tables.intact());
    byte ^= 0x10;
    CHECK(tables.intact());
  }
}
