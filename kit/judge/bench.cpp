#include "judge/bench.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <catch2/catch_test_macros.hpp>

namespace tilelab::judge {
namespace {

constexpr unsigned most_halvings = 2, most_timeouts = 3;

Bench* current = nullptr;

std::string shapes_in_words(std::size_t count) { return count == 1 ? "1 shape" : std::to_string(count) + " shapes"; }

}  // namespace

void Bench::open_case(std::string name, std::vector<std::string> tags) {
  cases_.push_back({.name = std::move(name), .tags = std::move(tags), .message = {}, .launches = {}});
  passed_.clear();
  drawn_ = 0;
}

void Bench::close_case(bool survived, const std::string& trouble) {
  CaseRecord& record = cases_.back();
  for (const LaunchRecord& launch : record.launches) record.verdict = worst(record.verdict, launch.verdict);
  const bool explained = !record.message.empty();  // a launch that failed, or a technique that was missed
  if (explained) return;
  record.passed = survived && !record.launches.empty();
  if (record.passed) {
    record.message = shapes_in_words(record.launches.size());
  } else {
    record.verdict = Verdict::internal_error;
    record.message = !survived ? "the test case itself failed: " + trouble : "the test case ran no launch";
  }
}

std::chrono::milliseconds Bench::steady_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

const LaunchRecord& Bench::run(Trial trial) {
  CaseRecord& record = cases_.back();
  const bool out_of_time = taken_ >= most_seconds * clock_factor_;
  if (timeouts_ >= most_timeouts || out_of_time) {
    LaunchRecord& skipped = record.launches.emplace_back();
    skipped.shape = trial.shape;
    skipped.inputs = trial.inputs;
    skipped.verdict = Verdict::timeout;
    skipped.message = out_of_time
                          ? "not run, because the launches before it took " + std::to_string(taken_.count() / 1000) + " seconds together"
                          : "not run, because three launches before it did not end";
    record.message = skipped.message;
    return skipped;
  }
  trial.spare_events >>= std::min(timeouts_, most_halvings);
  trial.clock_ms = trial.clock_ms * clock_factor_ >> std::min(timeouts_, most_halvings);
  const std::chrono::milliseconds began = now_();
  record.launches.push_back(judge_launch_(trial));
  taken_ += now_() - began;
  LaunchRecord& launch = record.launches.back();
  if (launch.verdict == Verdict::timeout) ++timeouts_;
  if (launch.verdict == Verdict::pass) {
    passed_.push_back({std::move(trial), launch.config.value_or(protocol::LaunchConfig{}), {}});
  } else if (!launch.wrong_output.empty() && !launch.explanation) {
    launch.explanation =
        explain(passed_, {std::move(trial), launch.config.value_or(protocol::LaunchConfig{}), std::move(launch.wrong_output)});
  }
  if (launch.verdict != Verdict::pass) record.message = launch.shape + ", " + launch.inputs + ": " + launch.message;
  return launch;
}

void Bench::fail_technique(std::string message) { cases_.back().message = std::move(message); }

RandomStream Bench::draw() { return RandomStream(key_.derive(cases_.back().name, drawn_++)); }

Bench& bench() {
  if (!current) throw std::logic_error("no bench: this test case runs outside a judge");
  return *current;
}

void use_bench(Bench* bench) { current = bench; }

const LaunchRecord& check(Trial trial) {
  const LaunchRecord& launch = bench().run(std::move(trial));
  if (launch.verdict != Verdict::pass) FAIL(launch.message);
  SUCCEED();
  return launch;
}

void reject_technique(const std::string& message) {
  bench().fail_technique(message);
  FAIL(message);
  throw std::logic_error("FAIL returned");  // never reached: FAIL throws
}

}  // namespace tilelab::judge
