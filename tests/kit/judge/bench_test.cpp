// A case's record follows from its launches and from what Catch2 saw. A failure of ours never looks like a pass.
#include "judge/bench.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tilelab::judge;
using Catch::Matchers::ContainsSubstring;
using tilelab::Verdict;
using tilelab::verdict_named;

namespace {

// Answers each trial with the verdict that its shape names.
LaunchRecord as_named(const Trial& trial) {
  LaunchRecord record;
  record.shape = trial.shape;
  record.inputs = "small integers";
  record.verdict = verdict_named(trial.shape).value_or(Verdict::pass);
  if (record.verdict != Verdict::pass) record.message = "because";
  return record;
}

Trial named(const std::string& verdict) {
  Trial trial;
  trial.shape = verdict;
  return trial;
}

struct OpenCase {
  Bench bench{as_named, SecretKey::from_number(1)};
  OpenCase() { bench.open_case("a case", {"hidden"}); }
  const CaseRecord& close(bool survived, const std::string& trouble = "") {
    bench.close_case(survived, trouble);
    return bench.cases().back();
  }
};

}  // namespace

TEST_CASE("a case whose launches all pass, passes and counts its shapes", "[bench]") {
  OpenCase open;
  open.bench.run(named("pass"));
  CHECK(open.close(true).message == "1 shape");
  open.bench.open_case("another", {});
  open.bench.run(named("pass"));
  open.bench.run(named("pass"));
  const CaseRecord& record = open.close(true);
  CHECK(record.passed);
  CHECK(record.verdict == Verdict::pass);
  CHECK(record.message == "2 shapes");
  CHECK(open.bench.cases().size() == 2);
}

TEST_CASE("a case has the verdict of the launch that failed, and its shape and reason", "[bench]") {
  OpenCase open;
  open.bench.run(named("pass"));
  open.bench.run(named("race"));
  const CaseRecord& record = open.close(false, "because");
  CHECK_FALSE(record.passed);
  CHECK(record.verdict == Verdict::race);
  CHECK(record.message == "race, small integers: because");
  CHECK(record.launches.size() == 2);
}

TEST_CASE("a failed launch fails its case even when Catch2 saw no failure", "[bench]") {
  OpenCase open;
  open.bench.run(named("wrong-answer"));
  CHECK_FALSE(open.close(true).passed);
}

TEST_CASE("a submission whose launches take too long together times out, and nothing more is run", "[bench]") {
  std::chrono::milliseconds now{};
  unsigned ran = 0;
  const auto slow = [&](const Trial& trial) {
    now += std::chrono::seconds(60);
    ++ran;
    return as_named(trial);
  };
  Bench bench(slow, SecretKey::from_number(1), 1, [&] { return now; });
  bench.open_case("a case", {});
  for (int i = 0; i < 5; ++i) bench.run(named("pass"));
  bench.close_case(true, "");
  CHECK(ran == 3);
  CHECK(bench.cases().back().verdict == Verdict::timeout);
  CHECK(bench.cases().back().message == "not run, because the launches before it took 180 seconds together");
}

TEST_CASE("no launch is run after a hundred seconds of processor time, however long they took on the wall", "[bench]") {
  std::chrono::milliseconds now{}, processor{5000};  // of others, before
  unsigned ran = 0;
  const auto busy = [&](const Trial& trial) {
    now += std::chrono::seconds(1);
    processor += std::chrono::seconds(35);
    ++ran;
    return as_named(trial);
  };
  Bench bench(busy, SecretKey::from_number(1), 1, [&] { return now; }, [&] { return processor; });
  bench.open_case("a case", {});
  for (int i = 0; i < 5; ++i) bench.run(named("pass"));
  bench.close_case(true, "");
  CHECK(ran == 3);
  CHECK(bench.cases().back().verdict == Verdict::timeout);
}

TEST_CASE("a case that misses the technique fails with the verdict of its launches", "[bench]") {
  OpenCase open;
  open.bench.run(named("pass"));
  open.bench.fail_technique("too many loads");
  const CaseRecord& record = open.close(false, "too many loads");
  CHECK_FALSE(record.passed);
  CHECK(record.verdict == Verdict::pass);
  CHECK(record.message == "too many loads");
}

TEST_CASE("a case that ran nothing or broke by itself is a fault of ours", "[bench]") {
  OpenCase empty;
  CHECK(empty.close(true).verdict == Verdict::internal_error);
  CHECK_FALSE(empty.close(true).passed);

  OpenCase broken;
  broken.bench.run(named("pass"));
  const CaseRecord& record = broken.close(false, "std::bad_alloc");
  CHECK(record.verdict == Verdict::internal_error);
  CHECK_FALSE(record.passed);
  CHECK_THAT(record.message, ContainsSubstring("std::bad_alloc"));
}

TEST_CASE("launches that follow a timeout get less to spare, but all that their work takes", "[bench]") {
  std::vector<std::uint64_t> spare, work, clock;
  Bench bench(
      [&](const Trial& trial) {
        spare.push_back(trial.spare_events);
        work.push_back(trial.work_events);
        clock.push_back(trial.clock_ms);
        return as_named(trial);
      },
      SecretKey::from_number(1));
  for (const auto* verdict : {"pass", "timeout", "race", "timeout", "timeout", "pass"}) {
    bench.open_case(verdict, {});
    Trial trial = named(verdict);
    trial.spare_events = 800;
    trial.work_events = 7;
    bench.run(std::move(trial));
  }
  CHECK(spare == std::vector<std::uint64_t>{800, 800, 400, 400, 200});
  CHECK(clock == std::vector<std::uint64_t>{5'000, 5'000, 2'500, 2'500, 1'250});
  CHECK(work == std::vector<std::uint64_t>(5, 7));
}

TEST_CASE("on an emulator every launch has more processor time, and no more steps", "[bench]") {
  std::vector<std::uint64_t> clock, steps;
  Bench bench(
      [&](const Trial& trial) {
        clock.push_back(trial.clock_ms);
        steps.push_back(trial.work_events + trial.spare_events);
        return as_named(trial);
      },
      SecretKey::from_number(1), 8);
  for (const auto* verdict : {"timeout", "pass"}) {
    bench.open_case(verdict, {});
    Trial trial = named(verdict);
    trial.work_events = 7;
    trial.spare_events = 800;
    bench.run(std::move(trial));
  }
  CHECK(clock == std::vector<std::uint64_t>{40'000, 20'000});
  CHECK(steps == std::vector<std::uint64_t>{807, 407});
}

TEST_CASE("after three timeouts nothing more is run, and no case passes for that", "[bench]") {
  int launches = 0;
  Bench bench(
      [&](const Trial& trial) {
        ++launches;
        return as_named(trial);
      },
      SecretKey::from_number(1));
  for (const auto* verdict : {"timeout", "timeout", "timeout", "pass"}) {
    bench.open_case(verdict, {});
    bench.run(named(verdict));
    bench.close_case(true, "");
  }
  CHECK(launches == 3);
  CHECK(bench.cases().back().verdict == Verdict::timeout);
  CHECK_FALSE(bench.cases().back().passed);
  CHECK_THAT(bench.cases().back().message, ContainsSubstring("not run"));
}

TEST_CASE("the runs of one submission share its time, and none has less than half a minute", "[bench]") {
  using std::chrono::seconds;
  std::chrono::milliseconds now{0};
  Bench bench(as_named, SecretKey::from_number(1), 1, [&now] { return now; });
  bench.open_case("a case", {});
  std::vector<std::chrono::milliseconds> given;
  const auto runs_long = [&] {
    for (int run = 0; run < 5; ++run) {
      given.push_back(bench.time_for_a_run());
      now += std::min<std::chrono::milliseconds>(given.back(), seconds(90));
    }
    return as_named(named("timeout"));
  };
  CHECK(bench.halvings() == 0);
  bench.run("a shape", "", runs_long);
  CHECK(given == std::vector<std::chrono::milliseconds>{seconds(150), seconds(60), seconds(30), seconds(30), seconds(30)});
  CHECK(bench.halvings() == 1);
  bench.run("another shape", "", runs_long);
  CHECK(given.size() == 5);
  bench.close_case(true, "");
  CHECK_THAT(bench.cases().back().message, ContainsSubstring("not run"));
}

TEST_CASE("what a case draws depends on seed, title and how often it drew", "[bench]") {
  const auto first = [](std::uint64_t seed, const std::string& name) {
    Bench bench(as_named, SecretKey::from_number(seed));
    bench.open_case(name, {});
    return std::pair(bench.draw().bits(), bench.draw().bits());
  };
  CHECK(first(1, "a") == first(1, "a"));
  CHECK(first(1, "a").first != first(1, "a").second);
  CHECK(first(1, "a") != first(2, "a"));
  CHECK(first(1, "a") != first(1, "b"));
}

TEST_CASE("checking outside a judge is refused", "[bench]") {
  use_bench(nullptr);
  CHECK_THROWS_AS(bench(), std::logic_error);
}

TEST_CASE("a launch that is known to hang has less time, and no fewer steps", "[bench]") {
  std::vector<std::uint64_t> clock, steps;
  Bench bench(
      [&](const Trial& trial) {
        clock.push_back(trial.clock_ms);
        steps.push_back(trial.spare_events);
        return as_named(trial);
      },
      SecretKey::from_number(1));
  bench.allow_at_most(std::chrono::milliseconds(1'000));
  bench.open_case("hangs", {});
  Trial trial = named("timeout");
  trial.spare_events = 800;
  bench.run(trial);
  bench.run(trial);
  CHECK(clock == std::vector<std::uint64_t>{1'000, 500});
  CHECK(steps == std::vector<std::uint64_t>{800, 400});
}
