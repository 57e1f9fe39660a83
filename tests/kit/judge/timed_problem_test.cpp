// The inspection of timed outputs: a right product passes in both kinds of rounds, a wrong one fails in both.
#include "judge/timed_problem.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "protocol/timed_input.hpp"

using namespace tilelab;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::size_t M = 48, N = 33, K = 300;

std::uint64_t round_with(bool whole) {
  std::uint64_t round = 0;
  while (timed_input::is_whole(round) != whole) ++round;
  return round;
}

// The product after `changed` was applied to each element of A and B.
std::vector<float> product(std::uint64_t round, const std::function<float(float)>& changed = [](float x) { return x; }) {
  const bool whole = timed_input::is_whole(round);
  const auto at = [&](int buffer, std::size_t i) { return changed(timed_input::value(timed_input::stream(round, buffer), i, whole)); };
  std::vector<float> C(M * N);
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t k = 0; k < K; ++k) C[i * N + j] += at(0, i * K + k) * at(1, k * N + j);
    }
  }
  return C;
}

judge::Inspection inspected(std::uint64_t round, const std::vector<float>& C) {
  return judge::work_to_time("matmul", "48x33x300").inspect(round, C, judge::RandomStream(3));
}

float half_precision(float x) {  // ten bits of fraction, like TF32
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= ~0x1fffu;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

}  // namespace

TEST_CASE("a right product passes, on whole numbers and on random ones", "[timed-problem]") {
  CHECK(inspected(round_with(true), product(round_with(true))).fault.empty());
  const auto random = inspected(round_with(false), product(round_with(false)));
  CHECK(random.fault.empty());
  REQUIRE(random.elements.size() == 5);
  for (const auto& one : random.elements) CHECK(one.relative_error < 1e-3);
}

TEST_CASE("most rounds have random numbers, so that a kernel that is fast on whole ones alone has a slow median", "[timed-problem]") {
  judge::RandomStream random(11);
  int whole = 0;
  for (int i = 0; i < 10'000; ++i) whole += timed_input::is_whole(random.bits()) ? 1 : 0;
  CHECK(whole > 2'300);
  CHECK(whole < 2'700);
}

TEST_CASE("one element that is off by one is found", "[timed-problem]") {
  auto C = product(round_with(true));
  C[17 * N + 5] += 1;
  CHECK(inspected(round_with(true), C).fault == "row 17 of C is wrong");
}

TEST_CASE("one element that was left out is found among random numbers", "[timed-problem]") {
  auto C = product(round_with(false));
  C[40 * N + 32] = 0;
  CHECK(inspected(round_with(false), C).fault == "row 40 of C is wrong");
}

TEST_CASE("an element that was not written is named", "[timed-problem]") {
  for (const bool whole : {true, false}) {
    auto C = product(round_with(whole));
    C[2 * N + 3] = std::numeric_limits<float>::quiet_NaN();
    const auto found = inspected(round_with(whole), C);
    CHECK_THAT(found.fault, ContainsSubstring("C[2][3]"));
    CHECK(found.elements.size() == 1);
  }
}

TEST_CASE("a product of the last round's inputs is wrong", "[timed-problem]") {
  CHECK_FALSE(inspected(round_with(true), product(round_with(true) + 1)).fault.empty());
}

TEST_CASE("products rounded to TF32 are found", "[timed-problem]") {
  CHECK_FALSE(inspected(round_with(false), product(round_with(false), half_precision)).fault.empty());
}

TEST_CASE("the size of the errors tells fp32 from lower precision", "[timed-problem]") {
  const auto brain_float = [](float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0xffffu); };
  const double fp32 = inspected(round_with(false), product(round_with(false))).relative_error;
  const double tf32 = inspected(round_with(false), product(round_with(false), half_precision)).relative_error;
  const double bf16 = inspected(round_with(false), product(round_with(false), brain_float)).relative_error;
  CHECK((fp32 > 0 && fp32 < 1e-5));
  CHECK((tf32 > 1e-4 && tf32 < 2e-3));
  CHECK((bf16 > 2e-3 && bf16 < 3e-2));
}

TEST_CASE("whole numbers and outputs that are not finite say nothing about precision", "[timed-problem]") {
  CHECK(inspected(round_with(true), product(round_with(true), half_precision)).relative_error < 0);
  const std::vector<float> unwritten(M * N, std::numeric_limits<float>::quiet_NaN());
  CHECK(inspected(round_with(false), unwritten).relative_error < 0);
}

TEST_CASE("a shape or a problem that cannot be timed is refused in words", "[timed-problem]") {
  CHECK_THROWS_AS(judge::work_to_time("matmul", "48x33"), std::invalid_argument);
  CHECK_THROWS_AS(judge::work_to_time("matmul", "48x33x0"), std::invalid_argument);
  CHECK_THROWS_MATCHES(judge::work_to_time("reduction", "48"), std::invalid_argument,
                       Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("kit/problems/reduction_timing.cpp")));
}
