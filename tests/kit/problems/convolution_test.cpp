// Convolution as a problem: inputs in which every pixel and weight tells, the oracle, and what its technique rule counts.
#include "problems/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::convolution;
using judge::RandomStream;
using judge::Trial;

namespace {

// The definition with a border of zeros around the picture, which the oracle does without.
std::vector<double> convolved(const Trial& trial, int height, int width) {
  const int wide = width + 4;
  std::vector<double> framed(static_cast<std::size_t>((height + 4) * wide));
  const std::vector<double>&image = trial.operands.at(0).values, &mask = trial.operands.at(1).values;
  for (int at = 0; at < height * width; ++at)
    framed.at(static_cast<std::size_t>((at / width + 2) * wide + at % width + 2)) = image.at(static_cast<std::size_t>(at));
  std::vector<double> out;
  for (int at = 0; at < height * width; ++at) {
    double sum = 0;
    for (int k = 0; k < 25; ++k)
      sum += mask.at(static_cast<std::size_t>(k)) * framed.at(static_cast<std::size_t>((at / width + k / 5) * wide + at % width + k % 5));
    out.push_back(sum);
  }
  return out;
}

}  // namespace

TEST_CASE("a convolution expects the weighted sum of the pixels around each one, and nothing else", "[convolution]") {
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 9}, Shape{13, 7}}) {
    for (const Trial& trial : {exact_trial(shape, RandomStream(1)), close_trial(shape, RandomStream(2))}) {
      std::vector<double> out = convolved(trial, shape.height, shape.width);
      CHECK_FALSE(judge::compare(out, trial.operands.at(2).expectation, {}));
      out.back() += 0.25;
      CHECK(judge::compare(out, trial.operands.at(2).expectation, {}));
    }
  }
}

TEST_CASE("a convolution's exact inputs are never 0, its weights differ, and its sums fit in 24 bits", "[convolution]") {
  const Trial trial = exact_trial({40, 50}, RandomStream(3));
  const std::vector<double>&image = trial.operands.at(0).values, &mask = trial.operands.at(1).values;
  CHECK(std::ranges::count(image, 0.0) + std::ranges::count(mask, 0.0) == 0);
  std::set<double> magnitudes;
  double all = 0;
  for (const double weight : mask) magnitudes.insert(std::abs(weight)), all += std::abs(weight);
  CHECK(magnitudes.size() == 25);
  CHECK(all * 4 * std::abs(*std::ranges::max_element(image, {}, [](double one) { return std::abs(one); })) < 0x1p24);
}

TEST_CASE("a convolution's trial describes its arguments in the launcher's order", "[convolution]") {
  const Trial trial = exact_trial({3, 4}, RandomStream(0));
  std::vector<std::string> names;
  for (const auto& operand : trial.operands) names.push_back(operand.name);
  CHECK(names == std::vector<std::string>{"image", "mask", "out", "height", "width"});
  CHECK(trial.operands[3].number == 3);
  CHECK(trial.operands[4].number == 4);
  CHECK(trial.shape == "height=3 width=4");
}

TEST_CASE("a picture without pixels or with a side that is too long is refused", "[convolution]") {
  CHECK_THROWS_AS(exact_trial({0, 1}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(close_trial({1, 2049}, RandomStream(0)), std::logic_error);
}

TEST_CASE("the bound of a convolution is too small for sums in fp16", "[convolution]") {
  const judge::Expectation out = close_trial({20, 20}, RandomStream(5)).operands.at(2).expectation;
  std::size_t told = 0;
  for (std::size_t i = 0; i < out.values.size(); ++i) told += std::abs(out.values[i]) * 0x1p-12 > out.bounds[i];
  CHECK(told > out.values.size() / 2);
}

TEST_CASE("the technique rule of a convolution asks for pixels that are loaded few times, by threads that share the work",
          "[convolution]") {
  constexpr Shape shape{96, 128};
  constexpr std::uint64_t pixels = 96 * 128;
  const auto missed = [&](const std::string& counter, std::uint64_t count) {
    judge::Counters counters{{"global_load_bytes", 6 * pixels}, {"local_load_bytes", 0},        {"texture_load_bytes", 0},
                             {"surface_load_bytes", 0},         {"constant_replays", 0},        {"words_of_all_threads", 32},
                             {"words_of_full_warps", 32},       {"most_words_of_a_thread", 60}, {"busiest_thread_words", 60}};
    counters.at(counter) = count;
    return missed_tiling(shape, counters);
  };
  CHECK(missed("global_load_bytes", 10 * pixels).empty());
  CHECK(missed("global_load_bytes", 10 * pixels + 4).find("tile with its halo") != std::string::npos);
  CHECK(missed("local_load_bytes", 4 * pixels + 4).find("tile with its halo") != std::string::npos);
  CHECK(missed("global_load_bytes", 4 * pixels - 4).find("less from global memory") != std::string::npos);
  CHECK(missed("texture_load_bytes", 4 * pixels + 4).find("tile with its halo") != std::string::npos);
  CHECK(missed("constant_replays", pixels + 1).find("tile with its halo") != std::string::npos);
  CHECK(missed("most_words_of_a_thread", 4096).empty());
  CHECK(missed("busiest_thread_words", 8192).empty());
  CHECK(missed("busiest_thread_words", 8193).find("run one after another, load and store 8193") != std::string::npos);
  CHECK(missed("most_words_of_a_thread", 4097).find("more threads") != std::string::npos);
  CHECK_THROWS(missed_tiling(shape, {}));
}
