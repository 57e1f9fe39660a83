// Which launch of a lab's tests is traced or profiled where its problem registers no sizes.
#include "judge/report/watched_launch.hpp"

#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tilelab::judge;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

Trial trial_of(std::size_t n, const std::string& inputs = "integers") {
  Trial trial{};
  trial.shape = "n=" + std::to_string(n) + " radius=2";
  trial.inputs = inputs;
  trial.operands = {input("in", n, std::vector<float>(n)), integer("n", static_cast<int>(n))};
  return trial;
}

CollectedTrials collected(std::initializer_list<std::size_t> sizes) {
  CollectedTrials trials;
  for (const std::size_t n : sizes) CHECK(trials.put_down(trial_of(n)).verdict == tilelab::Verdict::pass);
  return trials;
}

}  // namespace

TEST_CASE("a shape is named by its numbers", "[collected]") {
  CHECK(numbers_of("M=64 N=96") == "64x96");
  CHECK(numbers_of("n=5") == "5");
  CHECK(numbers_of("the empty list") == "the empty list");
  CHECK(numbers_of("n=") == "n=");
}

TEST_CASE("without a shape the smallest launch that shows something is traced, and the largest is profiled", "[collected]") {
  CHECK(collected({1, 500, 33, 100}).to_trace("", "8x8x8", "").shape == "n=33 radius=2");
  CHECK(collected({1, 5, 3}).to_trace("", "8x8x8", "").shape == "n=5 radius=2");
  CHECK(collected({1, 500, 33}).to_profile("").shape == "n=500 radius=2");
}

TEST_CASE("the lab's usual shape is taken where the tests have it", "[collected]") {
  CHECK(collected({64, 500, 33}).to_trace("", "64x2", "").shape == "n=64 radius=2");
}

TEST_CASE("a shape of the tests can be named", "[collected]") {
  CHECK(collected({1, 500, 33}).to_trace("1x2", "33x2", "").shape == "n=1 radius=2");
  CHECK(collected({1, 500, 33}).to_profile("33x2").shape == "n=33 radius=2");
}

TEST_CASE("inputs are chosen by their name", "[collected]") {
  CollectedTrials trials;
  trials.put_down(trial_of(40, "integers"));
  trials.put_down(trial_of(40, "random"));
  CHECK(trials.to_trace("40x2", "", "random").inputs == "random");
  CHECK(trials.to_trace("", "", "random").inputs == "random");
  CHECK_THROWS_MATCHES(trials.to_trace("", "", "worked"), std::invalid_argument, MessageMatches(ContainsSubstring("40x2 with integers")));
}

TEST_CASE("another shape is refused with those that there are", "[collected]") {
  const CollectedTrials trials = collected({1, 500});
  const std::string listed = "registers no sizes (judge::traces), so there are only the launches of the public tests: 1x2, 500x2";
  CHECK_THROWS_MATCHES(trials.to_trace("8", "", ""), std::invalid_argument, MessageMatches(ContainsSubstring(listed)));
  CHECK_THROWS_MATCHES(trials.to_profile("8"), std::invalid_argument, MessageMatches(ContainsSubstring(listed)));
}

TEST_CASE("a lab whose tests launch nothing has nothing to trace or profile", "[collected]") {
  CHECK_THROWS_MATCHES(CollectedTrials{}.to_trace("", "8", ""), std::invalid_argument, MessageMatches(ContainsSubstring("none")));
  CHECK_THROWS_MATCHES(CollectedTrials{}.to_profile(""), std::invalid_argument, MessageMatches(ContainsSubstring("none")));
}

TEST_CASE("a launch that nobody can read step by step is not traced", "[collected]") {
  CHECK_THROWS_MATCHES(collected({1 << 17}).to_trace("", "", ""), std::invalid_argument, MessageMatches(ContainsSubstring("step by step")));
}

TEST_CASE("runs of programs are chosen as launches are", "[collected]") {
  const std::vector<AskedRun> runs{
      {"n=1", "one pair", 1}, {"n=1000", "integers", 1000}, {"n=500", "integers", 500}, {"n=500", "random", 500}};
  CHECK(run_to_trace(runs, "", "", "") == 2);
  CHECK(run_to_trace(runs, "500", "", "random") == 3);
  CHECK(run_to_trace(runs, "n=1", "", "") == 0);
  CHECK_THROWS_MATCHES(run_to_trace(runs, "1000", "", "", 999), std::invalid_argument, MessageMatches(ContainsSubstring("at most 999")));
  CHECK_THROWS_MATCHES(run_to_trace(runs, "7", "", ""), std::invalid_argument, MessageMatches(ContainsSubstring("1, 1000, 500")));
  CHECK(put_down_record(runs[1]).shape == "n=1000");
}
