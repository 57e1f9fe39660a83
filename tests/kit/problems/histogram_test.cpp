// The histogram as a problem: inputs in which every count tells, the oracle, and what its technique rule counts.
#include "problems/histogram.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::histogram;
using judge::RandomStream;
using judge::Trial;

namespace {

std::vector<double> counted(const Trial& trial, int bins) {
  std::vector<double> counts(static_cast<std::size_t>(bins));
  for (const double value : trial.operands.at(0).values) {
    for (int bin = 0; bin < bins; ++bin) counts[static_cast<std::size_t>(bin)] += value == bin;
  }
  return counts;
}

bool has(const Trial& trial, double value) { return std::ranges::count(trial.operands.at(0).values, value) > 0; }

}  // namespace

TEST_CASE("a histogram expects the count of every value that has a bin, and nothing of the others", "[histogram]") {
  for (const Trial& trial : {inside_trial({900, 7}, RandomStream(1)), exact_trial({900, 7}, RandomStream(2)),
                             far_trial({900, 7}, RandomStream(3)), one_value_trial({900, 7}, RandomStream(4))}) {
    std::vector<double> counts = counted(trial, 7);
    CHECK_FALSE(judge::compare(counts, trial.operands.at(1).expectation, {}));
    ++counts[3];
    CHECK(judge::compare(counts, trial.operands.at(1).expectation, {}));
  }
}

TEST_CASE("the values of a histogram lie where their name says", "[histogram]") {
  const Trial inside = inside_trial({2000, 5}, RandomStream(1)), exact = exact_trial({2000, 5}, RandomStream(1));
  CHECK(std::ranges::all_of(inside.operands.at(0).values, [](double value) { return value >= 0 && value < 5; }));
  for (const double value : {-1.0, 0.0, 4.0, 5.0}) CHECK(has(exact, value));
  const Trial far = far_trial({2000, 5}, RandomStream(1));
  CHECK(has(far, std::numeric_limits<int>::min()));
  CHECK(has(far, std::numeric_limits<int>::max()));
  const std::vector<double> same = one_value_trial({50, 9}, RandomStream(8)).operands.at(0).values;
  CHECK(std::ranges::count(same, same.front()) == 50);
}

TEST_CASE("a histogram's trial describes its arguments in the kernel's order, and its bins hold zeros before the launch", "[histogram]") {
  const Trial trial = exact_trial({12, 3}, RandomStream(0));
  std::vector<std::string> names;
  for (const auto& operand : trial.operands) names.push_back(operand.name);
  CHECK(names == std::vector<std::string>{"values", "bins", "n", "bin_count"});
  CHECK(trial.operands[1].values == std::vector{0.0, 0.0, 0.0});
  CHECK(trial.operands[1].type == ElementType::u32);
  CHECK(trial.launch_arguments == std::vector{12, 3});
  CHECK(trial.shape == "n=12 bins=3");
}

TEST_CASE("a histogram without values or bins, or with too many, is refused", "[histogram]") {
  CHECK_THROWS_AS(exact_trial({0, 1}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial({1, 0}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial({1, most_bins + 1}, RandomStream(0)), std::logic_error);
}

TEST_CASE("the technique rule asks for few changes of global memory, by threads that share the values", "[histogram]") {
  constexpr Shape shape{100'000, 256};
  const auto missed = [&](const std::string& counter, std::uint64_t count) {
    judge::Counters counters{{"global_load_bytes", 4 * 106'400}, {"global_store_bytes", 4 * 6'400}, {"local_load_bytes", 0},
                             {"texture_load_bytes", 0},          {"surface_load_bytes", 0},         {"constant_replays", 0},
                             {"local_store_bytes", 0},           {"surface_store_bytes", 0},        {"words_of_all_threads", 32},
                             {"words_of_full_warps", 32},        {"most_words_of_a_thread", 36},    {"busiest_thread_words", 36}};
    counters.at(counter) = count;
    return missed_privacy(shape, counters);
  };
  CHECK(missed("global_store_bytes", 4 * 12'500).empty());
  CHECK(missed("global_store_bytes", 4 * 12'501).find("12501 times for 100000 values") != std::string::npos);
  CHECK(missed("most_words_of_a_thread", 97).find("more threads") != std::string::npos);
  CHECK(missed("global_load_bytes", 4 * 99'999).find("less from global memory") != std::string::npos);
  CHECK(missed("global_load_bytes", 8 * 100'000).find("more often than needed") != std::string::npos);
  CHECK_THROWS(missed_privacy(shape, {}));
}
