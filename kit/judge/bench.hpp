// What the running judge holds: the runner, the secret key, and the record of every case so far. Problems run their checks through it.
// The Catch2 reporter opens and closes its cases.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/mistake.hpp"
#include "judge/random_stream.hpp"
#include "judge/report/record.hpp"
#include "judge/technique.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

class Bench {
 public:
  static constexpr std::chrono::seconds most_seconds{150};            // on the wall, at a clock factor of 1: right kernels take a few
  static constexpr std::chrono::seconds most_processor_seconds{100};  // likewise, of processes that have ended: a whole program's runs
  static std::chrono::milliseconds steady_now();
  static std::chrono::milliseconds children_now();  // the processor time of all processes that this one has waited for

  using LaunchJudge = std::function<LaunchRecord(const Trial&)>;
  using Clock = std::function<std::chrono::milliseconds()>;
  // `clock_factor`: every launch may take this many times its trial's processor time. It is above 1 only under an emulator.
  Bench(LaunchJudge judge_launch, const SecretKey& key, unsigned clock_factor = 1, Clock now = steady_now, Clock processor = children_now)
      : judge_launch_(std::move(judge_launch)), key_(key), clock_factor_(clock_factor), now_(std::move(now)),
        processor_(std::move(processor)) {}

  // From now on, a launch may take at most this long, whatever its trial says: for kernels of which it is known that they hang.
  void allow_at_most(std::chrono::milliseconds of_a_launch) { most_ms_ = static_cast<unsigned>(of_a_launch.count()); }

  // From now on, check_technique() asks besides that threads use what comes through shared memory.
  void ask_for_shared() { asks_for_shared_ = true; }
  bool asks_for_shared() const { return asks_for_shared_; }

  void open_case(std::string name, std::vector<std::string> tags);
  // `survived`: Catch2 saw no failed assertion and no exception; `trouble`: the last such failure's text.
  void close_case(bool survived, const std::string& trouble);
  const std::vector<CaseRecord>& cases() const { return cases_; }

  // Runs a trial and adds its record to the open case. If exactly one known mistake explains a wrong output, the record says it.
  // The reference is valid until the next call. Each launch that times out halves the spare events and the clock of later
  // launches, down to a quarter. After three timeouts nothing more is run. So an endless loop costs its time a few times and not
  // once for every case. Correct launches need only a small part of what is left.
  // Nor is anything run once all launches together took `most_seconds` or `most_processor_seconds`: each of them may end in its time, and
  // together they would still hold a core for longer than anybody waits.
  const LaunchRecord& run(Trial trial);
  // The same for anything else that a case judges: `judge` is called unless the time is up.
  const LaunchRecord& run(const std::string& shape, const std::string& inputs, const std::function<LaunchRecord()>& judge);
  // For one run of a program: a case may have it run several times. How long it may take on the wall: what is left of `most_seconds`, and
  // never less than `least_seconds`, so that no run fails only because it comes late. And how often its own limits are halved, as above.
  static constexpr std::chrono::seconds least_seconds{30};
  std::chrono::milliseconds time_for_a_run() const;
  unsigned halvings() const;
  // The open case fails even if all its launches passed: the kernel is correct, but does not use the lab's technique.
  void fail_technique(std::string message);
  // A stream of its own for each draw. It depends on the key, on the open case, and on how many streams the case has drawn before.
  // It tells nothing of any other stream: inputs that a kernel sees do not tell it a shape that comes later.
  RandomStream draw();

 private:
  bool is_out_of_time() const;
  bool is_too_late() const;  // nothing is run any more
  const LaunchRecord& skip(const std::string& shape, const std::string& inputs);
  LaunchRecord& judged(const std::function<LaunchRecord()>& judge);

  LaunchJudge judge_launch_;
  SecretKey key_;
  unsigned clock_factor_;
  bool asks_for_shared_ = false;
  unsigned most_ms_ = std::numeric_limits<unsigned>::max();
  std::vector<CaseRecord> cases_;
  std::vector<Evidence> passed_;  // launches of the open case whose output was right
  std::uint64_t drawn_ = 0;
  unsigned timeouts_ = 0;
  std::optional<std::chrono::milliseconds> began_;  // the launch that is judged now
  Clock now_, processor_;
  std::chrono::milliseconds processor_before_ = processor_();
  std::chrono::milliseconds taken_{};  // by all launches
};

// The only bench of this process. Catch2's cases are free functions and can reach it in no other way. main or a test sets it.
Bench& bench();
void use_bench(Bench* bench);

// check() of technique.hpp runs a trial from within a Catch2 case, and ends the case there unless it passed. So does check_technique(),
// whose trial's traffic is counted: `missed` says why the counters do not show the technique, or nothing.
// Ends the case: its kernel is correct, but does not use the lab's technique.
[[noreturn]] void reject_technique(const std::string& message);

// So many numbers, one after the other.
template <class Number = double, class Draw>
std::vector<Number> drawn_numbers(std::size_t count, Draw draw) {
  std::vector<Number> numbers(count);
  for (Number& one : numbers) one = draw();
  return numbers;
}

// A trial, and the same with other numbers for a launcher that reads some.
template <class Draw>
Trial with_altered(Draw draw) {
  Trial trial = draw();
  trial.altered = std::make_shared<const Trial>(draw());
  return trial;
}

}  // namespace tilelab::judge
