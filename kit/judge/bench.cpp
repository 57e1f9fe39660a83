#include "judge/bench.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <sys/resource.h>
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

bool Bench::is_too_late() const { return timeouts_ >= most_timeouts || is_out_of_time(); }

std::chrono::milliseconds Bench::children_now() {
  rusage used{};
  if (getrusage(RUSAGE_CHILDREN, &used) != 0) return {};
  const auto milliseconds = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
  return std::chrono::milliseconds(milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
}

bool Bench::is_out_of_time() const {
  return taken_ >= most_seconds * clock_factor_ || processor_() - processor_before_ >= most_processor_seconds * clock_factor_;
}

std::chrono::milliseconds Bench::time_for_a_run() const {
  const std::chrono::milliseconds used = taken_ + (began_ ? now_() - *began_ : std::chrono::milliseconds{});
  return std::max<std::chrono::milliseconds>(most_seconds * clock_factor_ - used, least_seconds * clock_factor_);
}

unsigned Bench::halvings() const { return std::min(timeouts_, most_halvings); }

const LaunchRecord& Bench::skip(const std::string& shape, const std::string& inputs) {
  CaseRecord& record = cases_.back();
  LaunchRecord& skipped = record.launches.emplace_back();
  skipped.shape = shape;
  skipped.inputs = inputs;
  skipped.verdict = Verdict::timeout;
  skipped.message = is_out_of_time()
                        ? "not run, because the launches before it took " + std::to_string(taken_.count() / 1000) + " seconds together"
                        : "not run, because three launches before it did not end";
  record.message = skipped.message;
  return skipped;
}

LaunchRecord& Bench::judged(const std::function<LaunchRecord()>& judge) {
  CaseRecord& record = cases_.back();
  began_ = now_();
  record.launches.push_back(judge());
  taken_ += now_() - *began_;
  began_.reset();
  LaunchRecord& launch = record.launches.back();
  if (launch.verdict == Verdict::timeout) ++timeouts_;
  if (launch.verdict != Verdict::pass) record.message = launch.shape + ", " + launch.inputs + ": " + launch.message;
  return launch;
}

const LaunchRecord& Bench::run(const std::string& shape, const std::string& inputs, const std::function<LaunchRecord()>& judge) {
  return is_too_late() ? skip(shape, inputs) : judged(judge);
}

const LaunchRecord& Bench::run(Trial trial) {
  if (is_too_late()) return skip(trial.shape, trial.inputs);
  trial.spare_events >>= halvings();
  trial.clock_ms = std::min(trial.clock_ms * clock_factor_, most_ms_) >> halvings();
  LaunchRecord& launch = judged([&] { return judge_launch_(trial); });
  if (launch.verdict == Verdict::pass) {
    passed_.push_back({std::move(trial), launch.config.value_or(protocol::LaunchConfig{}), {}});
  } else if (!launch.wrong_output.empty() && !launch.explanation) {
    launch.explanation =
        explain(passed_, {std::move(trial), launch.config.value_or(protocol::LaunchConfig{}), std::move(launch.wrong_output)});
  }
  return launch;
}

void Bench::fail_technique(std::string message) { cases_.back().message = std::move(message); }

RandomStream Bench::draw() { return RandomStream(key_.derive(cases_.back().name, drawn_++)); }

Bench& bench() {
  if (!current) throw std::logic_error("no bench: this test case runs outside a judge");
  return *current;
}

void use_bench(Bench* bench) { current = bench; }

RandomStream fresh_stream() { return bench().draw(); }

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

void check_technique(Trial trial, const std::function<std::string(const Counters&)>& missed, bool may_follow_shared) {
  trial.counts_traffic = true;  // for the report, and for performance tiers
  const bool follows_shared = trial.follows_shared = may_follow_shared && bench().asks_for_shared();
  const Counters& counters = check(std::move(trial)).counters;
  std::string why = missed(counters);
  if (why.empty() && follows_shared) why = missed_shared(counters);
  if (!why.empty()) reject_technique("correct, but " + why);
}

std::vector<int> random_sizes(int count, int least, int most) {
  RandomStream random = bench().draw();
  return drawn_numbers<int>(static_cast<std::size_t>(count), [&] { return random.between(least, most); });
}

std::vector<int> around_powers(int largest) {
  std::set<int> sizes;  // 3 lies beside both 2 and 4
  for (int power = 2; power <= largest; power *= 2) sizes.insert({power - 1, power, power + 1});
  return {sizes.begin(), sizes.end()};
}

}  // namespace tilelab::judge
