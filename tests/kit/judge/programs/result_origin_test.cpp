// Where a result came from, as the record of copies tells it.
#include "judge/programs/result_origin.hpp"

#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;
using judge::CopiedBytes;

namespace {

constexpr ElementType f32 = ElementType::f32;

judge::Expectation expected(std::vector<double> values) {
  const std::size_t size = values.size();
  return {.rows = 1, .columns = size, .values = std::move(values)};
}

CopiedBytes received(std::uint64_t address, const std::vector<double>& values, const std::vector<bool>& elements_by_kernel) {
  CopiedBytes copy{.to_the_device = false, .at = 1, .address = address, .bytes = encoded(f32, values)};
  for (const bool one : elements_by_kernel) copy.by_kernel.insert(copy.by_kernel.end(), 4, one);
  return copy;
}

CopiedBytes sent(std::uint64_t at, const std::vector<double>& values, std::uint64_t address = 0x5000) {
  return {.to_the_device = true, .at = at, .address = address, .bytes = encoded(f32, values)};
}

}  // namespace

TEST_CASE("a result that a kernel wrote came from a kernel, in one copy or in several", "[origin]") {
  const auto right = expected({1, 2, 3, 4});
  CHECK(came_from_a_kernel(right, f32, {received(0x100, {1, 2, 3, 4}, {true, true, true, true})}, {}));
  CHECK(came_from_a_kernel(right, f32, {received(0x108, {3, 4}, {true, true}), received(0x100, {1, 2}, {true, true})}, {}));
  CHECK(came_from_a_kernel(right, f32, {received(0xFC, {9, 1, 2, 3, 4, 9}, {false, true, true, true, true, false})}, {}));
  CHECK_FALSE(came_from_a_kernel(right, f32, {received(0x100, {1, 2}, {true, true}), received(0x200, {3, 4}, {true, true})}, {}));
  CHECK_FALSE(came_from_a_kernel(right, f32, {received(0x100, {1, 2, 3, 5}, {true, true, true, true})}, {}));
  CHECK_FALSE(came_from_a_kernel(right, f32, {}, {}));
}

TEST_CASE("a later copy covers an earlier one, and what was there before counts as well", "[origin]") {
  const auto right = expected({1, 2, 3});
  const std::vector<bool> all(3, true);
  CHECK(came_from_a_kernel(right, f32, {received(0x100, {1, 2, 3}, all), received(0x100, {7, 8, 9}, all)}, {}));
  CHECK(came_from_a_kernel(right, f32, {received(0x100, {7, 8, 9}, all), received(0x100, {1, 2, 3}, all)}, {}));
  const auto pieces = judge::received_pieces({received(0x100, {7, 8, 9}, all), received(0x104, {2}, {false})});
  REQUIRE(pieces.size() == 1);
  CHECK(decoded(f32, pieces[0].bytes) == std::vector<double>{7, 2, 9});
  CHECK_FALSE(pieces[0].by_kernel[4]);
}

TEST_CASE("zeros of cudaMemset and the edge of an input need no kernel, and other gaps do", "[origin]") {
  const std::vector<bool> inner{false, true, true, false};
  CHECK(came_from_a_kernel(expected({0, 2, 3, 0}), f32, {received(0x100, {0, 2, 3, 0}, inner)}, {}));
  CHECK_FALSE(came_from_a_kernel(expected({1, 2, 3, 4}), f32, {received(0x100, {1, 2, 3, 4}, inner)}, {}));
  const std::vector<judge::KnownValues> known{{f32, encoded(f32, std::vector<double>{1, 9, 9, 4})}};
  CHECK(came_from_a_kernel(expected({1, 2, 3, 4}), f32, {received(0x100, {1, 2, 3, 4}, inner)}, known));
  CHECK_FALSE(came_from_a_kernel(expected({0, 0, 0, 0}), f32, {received(0x100, {0, 0, 0, 0}, std::vector<bool>(4))}, {}));
}

TEST_CASE("a result that the host sent is found, also in small pieces and at odd bytes", "[origin]") {
  std::vector<double> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 3.5 * static_cast<double>(i);
  const auto right = expected(values);
  CHECK(sent_by_the_host(right, f32, {sent(7, values)}, {}) == 7);
  CopiedBytes odd = sent(8, values);
  odd.bytes.insert(odd.bytes.begin(), std::byte{1});
  CHECK(sent_by_the_host(right, f32, {odd}, {}) == 8);
  std::vector<CopiedBytes> pieces;
  for (const double one : values) {
    pieces.push_back(sent(9, {one}, 0));
    pieces.push_back(sent(10, {1, 2}, 0));
  }
  CHECK(sent_by_the_host(right, f32, pieces, {}) == 9);
  CHECK_FALSE(sent_by_the_host(right, f32, {sent(7, std::vector<double>(40, 1.5))}, {}));
}

TEST_CASE("what a submission was given, or had from a kernel before, it may send", "[origin]") {
  std::vector<double> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 3.5 * static_cast<double>(i);
  const auto right = expected(values);
  CHECK_FALSE(sent_by_the_host(right, f32, {sent(7, values)}, {{f32, encoded(f32, values)}}));
  const CopiedBytes seen = received(0x100, values, std::vector<bool>(values.size(), true));
  CHECK_FALSE(sent_by_the_host(right, f32, {seen, sent(7, values)}, {}));
  CHECK(sent_by_the_host(right, f32, {sent(7, values), seen}, {}) == 7);
  CHECK_FALSE(sent_by_the_host(expected({1, 1, 1, 1}), f32, {sent(7, {1, 1, 1, 1})}, {}));  // tells nothing
}

TEST_CASE("a result next to zero is not taken for the pointers that the host sends", "[origin]") {
  std::vector<double> values(64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e-8 * static_cast<double>(i);
  auto right = expected(values);
  right.bounds.assign(values.size(), 1e-6);
  std::vector<CopiedBytes> pointers;
  for (std::uint64_t i = 0; i < 64; ++i) pointers.push_back(sent(9, {1e-40 * static_cast<double>(i), 4.6e-41}, 0));
  CHECK_FALSE(sent_by_the_host(right, f32, pointers, {}));
  right.bounds.assign(values.size(), 1e-12);
  CHECK(sent_by_the_host(right, f32, {sent(9, values)}, {}) == 9);
}

TEST_CASE("a large result is found in the middle of what the host sent, and a large input that does not hold it is searched at once",
          "[origin]") {
  std::vector<double> values(300'000), other(300'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1 + static_cast<double>(i * 7919 % 100'003);
    other[i] = 1 + static_cast<double>(i * 104'729 % 99'991);
  }
  const auto right = expected(values);
  CHECK_FALSE(sent_by_the_host(right, f32, {sent(3, other)}, {}));
  std::ranges::copy(values.begin() + 160'000, values.begin() + 160'040, other.begin() + 5);
  CHECK(sent_by_the_host(right, f32, {sent(3, other)}, {}) == 3);
}

TEST_CASE("many small copies into one large piece are put together quickly", "[origin]") {
  std::vector<CopiedBytes> copies;
  const std::vector<double> some(1024, 1);
  const std::vector<bool> all(1024, true);
  for (std::uint64_t i = 0; i < 1024; ++i) copies.push_back(received(0x10000 + i * 4096, some, all));
  for (std::uint64_t i = 0; i < 20'000; ++i) copies.push_back(received(0x10000 + i * 4, {2}, {true}));
  REQUIRE(judge::received_pieces(copies).size() == 1);
}

TEST_CASE("where the host sends certain bytes, and where it reads what is on the device", "[origin]") {
  const std::vector<CopiedBytes> copies{sent(7, {5, 6, 7, 8}),        received(0x100, {1}, {true}), sent(8, {1, 2, 3, 4, 9}),
                                        sent(8, {0, 1, 2, 3, 4}, 64), received(0x200, {2}, {true}), sent(9, {1, 2, 3})};
  CHECK(judge::places_that_send(encoded(f32, std::vector<double>{1, 2, 3, 4}), copies) == std::vector<std::uint64_t>{8});
  CHECK(judge::places_that_send(encoded(f32, std::vector<double>{1, 2, 3}), copies) == std::vector<std::uint64_t>{8, 9});
  CHECK(judge::places_that_send(encoded(f32, std::vector<double>{4, 3}), copies).empty());
  CHECK(judge::places_that_receive(copies) == std::vector<std::uint64_t>{1});
}
