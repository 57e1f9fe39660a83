// One launch that is watched and not judged, as JSON: what one block of it did step by step, or its memory traffic. Which launch that
// is, somebody else chose: a problem that registers itself (traced_problem.hpp), or the lab's own tests (collected_trials.hpp).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

// The block that is followed, and the order of blocks and threads.
struct FollowedBlock {
  std::array<unsigned, 3> at{};
  bool reversed = false;
  std::optional<std::array<unsigned, 3>> beside = {};  // a second block, recorded with it
  std::optional<protocol::HeldThread> held = {};
};

// "X,Y,Z". Throws std::invalid_argument; its text is for the person who gave it.
std::array<unsigned, 3> parse_block(const std::string& text);

// "THREAD,WRITE": see protocol::HeldThread. Throws std::invalid_argument.
protocol::HeldThread parse_held(const std::string& text);

// "in order" or "reversed". Throws std::invalid_argument.
bool parse_order(const std::string& text);

// How the launch runs for it.
LaunchOptions watching(const FollowedBlock& block);

// `factors`: TracedProblem's. "trace" is left out if the grid has no such block.
nlohmann::json traced_launch(RunnerProcess& runner, const Trial& trial, const FollowedBlock& block,
                             const std::vector<std::string>& factors);

// `shape`: as the report shall name it.
nlohmann::json profiled_launch(RunnerProcess& runner, Trial trial, const std::string& shape);

}  // namespace tilelab::judge
