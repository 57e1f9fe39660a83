// A launch's verdict follows from the buffers and from the worst that the runner reports. A good report improves nothing.
#include "judge/decision/launch_judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fake_runner.hpp"
#include "problems/matmul.hpp"

using namespace tilelab;
using namespace tilelab::judge;
using Catch::Matchers::ContainsSubstring;

namespace {

LaunchRecord judged(const std::string& fake_name) {
  RunnerProcess runner(fake::runner(fake_name));
  return judge_launch(runner, matmul::exact_trial({.M = 17, .N = 18, .K = 5}, RandomStream(1)));
}

}  // namespace

TEST_CASE("an honest product passes by both rules", "[launch-judge]") {
  RunnerProcess runner(fake::runner("honest"));
  const matmul::Shape shape{.M = 33, .N = 7, .K = 257};
  const LaunchRecord exact = judge_launch(runner, matmul::exact_trial(shape, RandomStream(1)));
  CHECK(exact.verdict == Verdict::pass);
  CHECK(exact.message.empty());
  CHECK(exact.shape == "M=33 N=7 K=257");
  CHECK_FALSE(exact.mismatch);
  CHECK(judge_launch(runner, matmul::close_trial(shape, RandomStream(1))).verdict == Verdict::pass);
}

TEST_CASE("each kind of failure has its verdict", "[launch-judge]") {
  const auto [fake_name, verdict] = GENERATE(table<std::string, Verdict>({
      {"computes nothing", Verdict::wrong_answer},
      {"off by one in the last element", Verdict::wrong_answer},
      {"NaN", Verdict::wrong_answer},
      {"changes an input", Verdict::input_modified},
      {"right but racy", Verdict::race},
      {"right with a note", Verdict::pass},
      {"out of bounds and unfinished", Verdict::out_of_bounds},
      {"launch error", Verdict::launch_error},
      {"times out by itself", Verdict::timeout},
      {"admits a fault of ours", Verdict::internal_error},
      {"finds what only a grader may find", Verdict::crash},
      {"truncates the buffers", Verdict::pass},
      {"dies", Verdict::internal_error},
      {"answers nonsense", Verdict::crash},
      {"announces a gigabyte", Verdict::crash},
  }));
  CAPTURE(fake_name);
  const LaunchRecord record = judged(fake_name);
  CHECK(name(record.verdict) == name(verdict));
  CHECK(record.message.empty() == (verdict == Verdict::pass));
}

TEST_CASE("a wrong answer says how many elements and where", "[launch-judge]") {
  const LaunchRecord record = judged("off by one in the last element");
  REQUIRE(record.mismatch);
  CHECK(record.mismatch->wrong == 1);
  CHECK(record.mismatch->first.at(0).got == record.mismatch->first.at(0).expected.value() + 1);
  CHECK_THAT(record.message, ContainsSubstring("1 of 306 elements are wrong: only the element in row 16, column 17"));
  CHECK_THAT(judged("computes nothing").message, ContainsSubstring("306 of 306 elements were never written: every element"));
}

TEST_CASE("a launch that stopped short is not compared", "[launch-judge]") {
  const auto fake_name = GENERATE("out of bounds and unfinished", "launch error", "times out by itself");
  CHECK_FALSE(judged(fake_name).mismatch);
}

TEST_CASE("a changed input is named even when the runner does not say so", "[launch-judge]") {
  const LaunchRecord record = judged("changes an input");
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].kind == "input-modified");
  CHECK(record.findings[0].array == "B");
}

TEST_CASE("the worst finding gives the message, with its line", "[launch-judge]") {
  CHECK(judged("right but racy").message == "line 12: said by the fake");
}

TEST_CASE("a kernel that is right in its first launch alone passes with a note", "[launch-judge]") {
  const LaunchRecord record = judged("right the first time");
  CHECK(record.verdict == Verdict::pass);
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].kind == "wrong-answer");
  CHECK(record.findings[0].severity == "note");
  CHECK_THAT(record.findings[0].message, ContainsSubstring("a second launch would go wrong"));
  CHECK(judged("leaves data that nobody minds").findings.empty());
}

TEST_CASE("a runner that never starts is a fault of ours", "[launch-judge]") {
  RunnerProcess runner({"sh", "-c", "exit 1"});
  CHECK(judge_launch(runner, matmul::exact_trial({}, RandomStream(1))).verdict == Verdict::internal_error);
}
