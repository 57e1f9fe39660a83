// Prefix sums as a problem: inputs in which every number tells, the oracle, and what its technique rule counts.
#include "problems/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::scan;
using judge::RandomStream;
using judge::Trial;

namespace {

std::vector<double> added_up(const std::vector<double>& in) {
  std::vector<double> sums;
  std::int64_t sum = 0;
  for (const double number : in) sums.push_back(static_cast<double>(sum += static_cast<std::int64_t>(number)));
  return sums;
}

}  // namespace

TEST_CASE("a scan expects the sum of each number and all before it, and nothing else", "[scan]") {
  for (const Trial& trial : {exact_trial(1, RandomStream(1)), exact_trial(777, RandomStream(2)), large_trial(777, RandomStream(3))}) {
    std::vector<double> sums = added_up(trial.operands.at(0).values);
    CHECK_FALSE(judge::compare(sums, trial.operands.at(1).expectation, {}));
    ++sums.back();
    CHECK(judge::compare(sums, trial.operands.at(1).expectation, {}));
  }
}

TEST_CASE("a scan's numbers are never 0, have both signs, and no sum of any of them overflows", "[scan]") {
  for (const Trial& trial : {exact_trial(5000, RandomStream(4)), large_trial(5000, RandomStream(5)), large_trial(3, RandomStream(6))}) {
    const std::vector<double>& in = trial.operands.at(0).values;
    double magnitudes = 0;
    for (const double number : in) magnitudes += std::abs(number);
    CHECK(std::ranges::count(in, 0.0) == 0);
    CHECK(magnitudes <= std::numeric_limits<int>::max());
  }
  const std::vector<double> in = exact_trial(5000, RandomStream(4)).operands.at(0).values;
  CHECK(std::ranges::any_of(in, [](double number) { return number < 0; }));
  CHECK(std::ranges::any_of(in, [](double number) { return number > 0; }));
}

TEST_CASE("large numbers have sums that a float cannot hold", "[scan]") {
  const std::vector<double> sums = large_trial(61, RandomStream(7)).operands.at(1).expectation.values;
  CHECK(std::ranges::any_of(sums, [](double sum) { return static_cast<double>(static_cast<float>(sum)) != sum; }));
}

TEST_CASE("a scan's trial describes its arguments in the launcher's order", "[scan]") {
  const Trial trial = exact_trial(12, RandomStream(0));
  std::vector<std::string> names;
  for (const auto& operand : trial.operands) names.push_back(operand.name);
  CHECK(names == std::vector<std::string>{"in", "out", "n"});
  CHECK(trial.operands[1].type == ElementType::i32);
  CHECK(trial.operands[2].number == 12);
  CHECK(trial.shape == "n=12");
}

TEST_CASE("a scan of no numbers or of too many is refused", "[scan]") {
  CHECK_THROWS_AS(exact_trial(0, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(large_trial(most_numbers + 1, RandomStream(0)), std::logic_error);
}

TEST_CASE("the technique rule of a scan asks for threads that share the work, and for few ways through global memory", "[scan]") {
  constexpr int n = 100'000;
  const auto missed = [](const std::string& counter, std::uint64_t count) {
    judge::Counters counters{{"global_load_bytes", 8 * n},  {"global_store_bytes", 8 * n},  {"local_load_bytes", 0},
                             {"texture_load_bytes", 0},     {"surface_load_bytes", 0},      {"constant_replays", 0},
                             {"local_store_bytes", 0},      {"surface_store_bytes", 0},     {"words_of_all_threads", 32},
                             {"words_of_full_warps", 32},   {"most_words_of_a_thread", 60}, {"busiest_thread_words", 60},
                             {"busiest_block_stores", 5000}};
    counters.at(counter) = count;
    return missed_sharing(n, counters);
  };
  CHECK(missed("most_words_of_a_thread", 256).empty());
  CHECK(missed("most_words_of_a_thread", 257).find("more threads and blocks") != std::string::npos);
  CHECK(missed("busiest_thread_words", 1024).empty());
  CHECK(missed("busiest_thread_words", 1025).find("run one after another, load and store 1025") != std::string::npos);
  CHECK(missed("busiest_block_stores", n / 2).empty());
  CHECK(missed("busiest_block_stores", n / 2 + 1).find("the busiest blocks") != std::string::npos);
  CHECK(missed("surface_store_bytes", 12 * n).find("in global memory") != std::string::npos);
  CHECK(missed("global_load_bytes", 16 * n).empty());
  CHECK(missed("global_load_bytes", 16 * n + 4).find("600001 numbers in global memory for 100000") != std::string::npos);
  CHECK(missed("local_store_bytes", 12 * n).find("in global memory") != std::string::npos);
  CHECK(missed("global_load_bytes", 4 * n - 1).find("less from global memory") != std::string::npos);
  CHECK_THROWS(missed_sharing(n, {}));
}
