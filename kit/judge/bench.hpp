// What the running judge has at hand: the runner, the seed, and the record of every case so far. Problems check through
// it; the Catch2 reporter opens and closes its cases.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "judge/explanation.hpp"
#include "judge/random_stream.hpp"
#include "judge/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

class Bench {
 public:
  using LaunchJudge = std::function<LaunchRecord(const Trial&)>;
  // `clock_factor`: every launch may take this many times its trial's processor time, where programs run on an emulator.
  Bench(LaunchJudge judge_launch, std::uint64_t seed, unsigned clock_factor = 1)
      : judge_launch_(std::move(judge_launch)), seed_(seed), clock_factor_(clock_factor) {}

  void open_case(std::string name, std::vector<std::string> tags);
  // `survived`: Catch2 saw no failed assertion and no exception; `trouble`: the last such failure's text.
  void close_case(bool survived, const std::string& trouble);
  const std::vector<CaseRecord>& cases() const { return cases_; }

  // Runs a trial and records it with the open case; a wrong output with the mistake that accounts for it, where just one
  // does. The reference holds until the next one. Each launch that timed out
  // halves the spare events and the clock of those that follow, down to a quarter, and after three
  // nothing more is run: a loop that never ends costs its time a few times, not once for every case, and correct launches
  // need only a small part of what is left.
  const LaunchRecord& run(Trial trial);
  // The open case fails although its launches may all have passed: correct, but not in the way the lab asks for.
  void fail_technique(std::string message);
  // A stream that depends on the seed, the open case and how many it has drawn.
  RandomStream draw();

 private:
  LaunchJudge judge_launch_;
  std::uint64_t seed_;
  unsigned clock_factor_;
  std::vector<CaseRecord> cases_;
  std::vector<Evidence> passed_;  // the open case's launches that came out right
  std::uint64_t drawn_ = 0;
  unsigned timeouts_ = 0;
};

// The one bench of this process: Catch2's cases are free functions and reach it no other way. Set by main or a test.
Bench& bench();
void use_bench(Bench* bench);

// Run a trial from within a Catch2 case, and end the case there unless it passed.
const LaunchRecord& check(Trial trial);
// End the case: its kernel is correct, but misses the lab's technique.
[[noreturn]] void reject_technique(const std::string& message);

}  // namespace tilelab::judge
