// A submission that brings host code: a whole program or a launcher. kit/judge/programs has the only kind there is. A judge that is linked
// without it judges kernels alone, and says so if it is given such a submission.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "judge/bench.hpp"
#include "judge/decision/launch_judge.hpp"
#include "judge/report/record.hpp"
#include "judge/report/watched_launch.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

class HostCode {
 public:
  virtual ~HostCode() = default;

  // From now on its runs get the time that this bench has left for them.
  virtual void share_time_of(const Bench& bench) = 0;

  // One run of its launcher. Throws std::runtime_error or nlohmann::json::exception where something of ours fails.
  virtual LaunchRecord judge(const Trial& trial, const LaunchOptions& options) const = 0;

  // From now on, checks of whole programs are put down instead of run: watch() chooses among them.
  virtual void collect() = 0;
  // One run, watched and not judged in full: see judge_main.cpp for what may be `asked`. Its record's `program` has what was traced. Throws
  // std::invalid_argument where no test has such a shape, else as judge() does.
  virtual LaunchRecord watch(const CollectedTrials& launchers, const nlohmann::json& asked) const = 0;
};

// Reads the file that describes the submission. Throws std::runtime_error or nlohmann::json::exception. Null: nobody here can.
[[gnu::weak]] std::unique_ptr<HostCode> read_host_code(const std::string& path);

// Runs on the bench the cases of a lab that is described by data, in the task's order; the file is grader/run/described_cases.py's. Throws
// std::runtime_error or nlohmann::json::exception. Null, as above.
[[gnu::weak]] void run_described_cases(const std::string& path, const JudgeTask& task, bool until_failure);

}  // namespace tilelab::judge
