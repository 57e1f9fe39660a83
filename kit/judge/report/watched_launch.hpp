// One launch that is watched and not judged, as JSON: what one block of it did step by step, or its memory traffic. Which launch that
// is, somebody else chose: a problem that registers itself (traced_problem.hpp), or the lab's own tests (CollectedTrials).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

// How a launch runs for whoever watches it. `asked`: {"trace": a protocol::TraceRequest, "reversed": whether blocks and threads run in the
// opposite order}. Throws nlohmann::json::exception.
LaunchOptions watched(const nlohmann::json& asked);

// `factors`: TracedProblem's. "trace" is left out if the grid has no such block.
nlohmann::json traced_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& watched,
                             const std::vector<std::string>& factors);

// `shape`: as the report shall name it.
nlohmann::json profiled_launch(RunnerProcess& runner, Trial trial, const std::string& shape);

// The launches that a lab's test cases ask for, put down instead of run, so that one of them can be traced or profiled. So every problem
// can be, also one that registers nothing (traced_problem.hpp); it has only the shapes that its tests use.

// What can be asked for: a launch, or a run of a program.
struct AskedRun {
  std::string shape, inputs;
  std::size_t elements = 0;  // of all buffers
};

// A launch that is put down passes. Its counters are missing, so a technique check throws.
LaunchRecord put_down_record(const AskedRun& asked);

// Of one launch all buffers are shown; of a run of host code only what one block of one launch touches.
inline constexpr std::size_t most_traced_elements = 1 << 16, most_elements_of_a_run = 1 << 24;

// The place of the run to trace: see CollectedTrials::to_trace, which throws what this throws.
std::size_t run_to_trace(const std::vector<AskedRun>& runs, const std::string& shape, const std::string& usual, const std::string& inputs,
                         std::size_t most_elements = most_traced_elements);

class CollectedTrials {
 public:
  // To be the bench's judge of launches.
  LaunchRecord put_down(const Trial& trial);

  // These throw std::invalid_argument; its text is for the person who gave the shape, and says which shapes there are.
  // `shape`: "64x96" for "M=64 N=96". If it is empty, `usual` is taken where there is such a launch; else a trace takes the smallest
  // launch with at least a warp's elements, and a profile takes the largest of all. `inputs`: empty: any.
  const Trial& to_trace(const std::string& shape, const std::string& usual, const std::string& inputs,
                        std::size_t most_elements = most_traced_elements) const;
  const Trial& to_profile(const std::string& shape) const;

 private:
  std::vector<Trial> trials_;
  std::vector<AskedRun> asked_;  // the same
};

// The numbers of a shape: "64x96" for "M=64 N=96". A shape without numbers stays as it is.
std::string numbers_of(const std::string& shape);

}  // namespace tilelab::judge
