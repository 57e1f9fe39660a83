// The sum as a problem: inputs in which nothing can be left out unseen, the oracle, the bound, and what its technique rule counts.
#include "problems/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::reduction;
using judge::RandomStream;
using judge::Trial;

namespace {

bool is_right(const Trial& trial, double sum) { return judge::is_right(sum, trial.operands.at(1).expectation, 0); }

// A launch of 256 threads for each block, one number for each thread, that adds up in shared memory.
judge::Counters counters_of(std::uint64_t n) {
  const std::uint64_t blocks = (n + 255) / 256;
  return {{"global_load_bytes", 4 * n + 4 * blocks},
          {"global_store_bytes", 4 * blocks},
          {"local_load_bytes", 0},
          {"texture_load_bytes", 0},
          {"surface_load_bytes", 0},
          {"constant_replays", 0},
          {"local_store_bytes", 0},
          {"surface_store_bytes", 0},
          {"words_of_all_threads", 32},
          {"words_of_full_warps", 32},
          {"words_of_full_blocks", 32},
          {"most_words_of_a_thread", 28},
          {"busiest_thread_words", 36}};
}

}  // namespace

TEST_CASE("the sum of whole numbers must be exact, and shows every number that is missing or taken twice", "[reduction]") {
  const int n = GENERATE(1, 2, 33, 1000);
  const Trial trial = exact_trial(n, RandomStream(3));
  const std::vector<double>& in = trial.operands.at(0).values;
  REQUIRE(in.size() == static_cast<std::size_t>(n));
  const double sum = std::accumulate(in.begin(), in.end(), 0.0);
  CHECK(is_right(trial, sum));
  for (const double one : in) {
    CHECK_FALSE(is_right(trial, sum - one));
    CHECK_FALSE(is_right(trial, sum + one));
  }
}

TEST_CASE("every partial sum of the exact inputs is a number of fp32, however many there are", "[reduction]") {
  const int n = GENERATE(1, 40'000, 2'000'000);
  for (const auto& trial : {exact_trial(n, RandomStream(1)), quarters_trial(n, RandomStream(1))}) {
    double magnitudes = 0;
    for (const double one : trial.operands.at(0).values) magnitudes += std::abs(one);
    CHECK(magnitudes < (1 << 24));
    CHECK(std::ranges::count(trial.operands.at(0).values, 0.0) == 0);
  }
}

TEST_CASE("quarters have both signs and parts after the point", "[reduction]") {
  const std::vector<double> in = quarters_trial(100, RandomStream(2)).operands.at(0).values;
  CHECK(std::ranges::any_of(in, [](double one) { return one < 0; }));
  CHECK(std::ranges::any_of(in, [](double one) { return one != std::trunc(one); }));
}

TEST_CASE("fp32 sums of random numbers are within the bound in any order, and fp16 sums are not", "[reduction]") {
  const Trial trial = close_trial(4001, RandomStream(5));
  std::vector<double> in = trial.operands.at(0).values;
  for (int order = 0; order < 3; ++order) {
    float sum = 0;
    for (const double one : in) sum += static_cast<float>(one);
    CHECK(is_right(trial, sum));
    order == 0 ? std::reverse(in.begin(), in.end()) : std::sort(in.begin(), in.end());
  }
  double rounded = 0;  // 11 bits, as fp16 keeps them
  for (const double one : trial.operands.at(0).values) {
    int exponent = 0;
    const double part = std::frexp(rounded + one, &exponent);
    rounded = std::ldexp(std::nearbyint(part * 2048), exponent - 11);
  }
  CHECK_FALSE(is_right(trial, rounded));
}

TEST_CASE("a sum's trial describes its arguments in the kernel's order, and the sum holds zero before the launch", "[reduction]") {
  const Trial trial = exact_trial(7, RandomStream(0));
  std::vector<std::string> names;
  for (const auto& operand : trial.operands) names.push_back(operand.name);
  CHECK(names == std::vector<std::string>{"in", "sum", "n"});
  CHECK(trial.operands[1].kind == judge::Operand::Kind::inout);
  CHECK(trial.operands[1].values == std::vector{0.0});
  CHECK(trial.launch_arguments == std::vector{7});
  CHECK(trial.shape == "n=7");
}

TEST_CASE("a sum of nothing, or of more than its inputs allow, is refused", "[reduction]") {
  CHECK_THROWS_AS(exact_trial(0, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial(1 << 21, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(close_trial(4097, RandomStream(0)), std::logic_error);
}

TEST_CASE("sizes around powers of two name each size once", "[reduction]") {
  CHECK(around_powers(8) == std::vector{1, 2, 3, 4, 5, 7, 8, 9});
}

TEST_CASE("the technique rule asks for few changes of global memory, by threads that share the work", "[reduction]") {
  constexpr int n = 100'000;
  const auto missed = [](const std::string& counter, std::uint64_t count) {
    auto counters = counters_of(n);
    counters.at(counter) = count;
    return missed_combining(n, counters);
  };
  CHECK(missed_combining(n, counters_of(n)).empty());
  CHECK(missed("global_store_bytes", 4 * (n / 128)).empty());
  CHECK(missed("global_store_bytes", 4 * (n / 64)).find("once for every 64 numbers") != std::string::npos);
  CHECK(missed("most_words_of_a_thread", 96).empty());
  CHECK(missed("most_words_of_a_thread", 97).find("more threads") != std::string::npos);
  CHECK(missed("words_of_full_blocks", 16 * 32).empty());
  CHECK(missed("words_of_full_blocks", 17 * 32).find("fewer than one in 17 of its threads") != std::string::npos);
  CHECK(missed("global_load_bytes", 4 * n - 4).find("less from global memory") != std::string::npos);
  CHECK(missed("global_load_bytes", 8 * n).find("more often than needed") != std::string::npos);
  CHECK_THROWS(missed_combining(n, {}));
}
