// Softmax as a problem: inputs that do what their names say, an oracle with bounds that right ways of computing keep to and wrong ones do
// not, and the technique rule.
#include "problems/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::softmax;
using judge::RandomStream;
using judge::Trial;

namespace {

constexpr Shape shape{.rows = 6, .columns = 100};

std::vector<Trial> all_trials() {
  return {small_trial(shape, RandomStream(1)), shifted_trial(shape, RandomStream(2)), peaked_trial(shape, RandomStream(3)),
          level_trial(shape, RandomStream(4))};
}

// Softmax in fp32, as a kernel with one thread would compute it, with another number subtracted from each row.
template <class Offset>
std::vector<double> computed(const Trial& trial, Offset offset, int last = 0) {
  std::vector<double> out;
  const std::vector<double>& in = trial.operands.at(0).values;
  for (int r = 0; r < shape.rows; ++r) {
    const std::span row(in.data() + r * shape.columns, static_cast<std::size_t>(shape.columns));
    const float m = offset(row);
    float sum = 0;
    for (const double x : row.first(row.size() - static_cast<std::size_t>(last))) sum += std::exp(static_cast<float>(x) - m);
    for (const double x : row) out.push_back(std::exp(static_cast<float>(x) - m) / sum);
  }
  return out;
}

float maximum(std::span<const double> row) { return static_cast<float>(*std::ranges::max_element(row)); }

bool is_right(const Trial& trial, const std::vector<double>& out) { return !judge::compare(out, trial.operands.at(1).expectation, {}); }

}  // namespace

TEST_CASE("softmax in fp32 is within its bounds", "[softmax]") {
  for (const Trial& trial : all_trials()) CHECK(is_right(trial, computed(trial, maximum)));
}

TEST_CASE("a softmax that subtracts nothing is right for small numbers alone", "[softmax]") {
  const auto nothing = [](std::span<const double>) { return 0.0F; };
  CHECK(is_right(small_trial(shape, RandomStream(1)), computed(small_trial(shape, RandomStream(1)), nothing)));
  for (const Trial& trial : {shifted_trial(shape, RandomStream(2)), peaked_trial(shape, RandomStream(5))})
    CHECK_FALSE(is_right(trial, computed(trial, nothing)));
}

TEST_CASE("a softmax whose sum leaves an element out is wrong", "[softmax]") {
  CHECK_FALSE(is_right(small_trial(shape, RandomStream(1)), computed(small_trial(shape, RandomStream(1)), maximum, 1)));
  CHECK_FALSE(is_right(level_trial(shape, RandomStream(4)), computed(level_trial(shape, RandomStream(4)), maximum, 1)));
}

TEST_CASE("the rows of a softmax add up to 1, and no bound is as large as a result that can be seen", "[softmax]") {
  for (const Trial& trial : all_trials()) {
    const judge::Expectation& out = trial.operands.at(1).expectation;
    for (int r = 0; r < shape.rows; ++r) {
      double sum = 0;
      for (int c = 0; c < shape.columns; ++c) sum += out.values[static_cast<std::size_t>(r * shape.columns + c)];
      CHECK(std::abs(sum - 1) < 1e-12);
    }
    for (std::size_t i = 0; i < out.values.size(); ++i) CHECK((out.values[i] < 1e-37 || out.bounds[i] < 0.001 * out.values[i]));
  }
}

TEST_CASE("a softmax's trial describes its arguments in the launcher's order", "[softmax]") {
  const Trial trial = small_trial({.rows = 2, .columns = 3}, RandomStream(0));
  std::vector<std::string> names;
  for (const auto& operand : trial.operands) names.push_back(operand.name);
  CHECK(names == std::vector<std::string>{"in", "out", "rows", "columns"});
  CHECK(trial.operands[2].number == 2);
  CHECK(trial.operands[3].number == 3);
  CHECK(trial.shape == "rows=2 columns=3");
  CHECK_THROWS_AS(small_trial({.rows = 0, .columns = 3}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(small_trial({.rows = 1, .columns = most_columns + 1}, RandomStream(0)), std::logic_error);
}

TEST_CASE("the technique rule of a softmax asks that no thread does a long row by itself", "[softmax]") {
  const auto missed = [](std::uint64_t in_a_launch, std::uint64_t in_all) {
    return missed_sharing({.rows = 12, .columns = 600}, {{"words_of_all_threads", 32},
                                                         {"words_of_full_warps", 32},
                                                         {"most_words_of_a_thread", in_a_launch},
                                                         {"busiest_thread_words", in_all}});
  };
  CHECK(missed(most_words_of_a_worker, 1500).empty());
  CHECK(missed(1025, 1025).find("1025 numbers") != std::string::npos);
  CHECK(missed(10, 1501).find("run one after another, load and store 1501") != std::string::npos);
  CHECK_THROWS(missed_sharing({}, {}));
}
