// One launch that is watched and not judged, as JSON: what one block of it did step by step, or its memory traffic. Which launch that
// is, somebody else chose: a problem that registers itself (traced_problem.hpp), or the lab's own tests (collected_trials.hpp).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/runner_process.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

// "X,Y,Z". Throws std::invalid_argument; its text is for the person who gave it.
std::array<unsigned, 3> parse_block(const std::string& text);

// `factors`: TracedProblem's. "trace" is left out if the grid has no such block.
nlohmann::json traced_launch(RunnerProcess& runner, const Trial& trial, const std::array<unsigned, 3>& block,
                             const std::vector<std::string>& factors);

// `shape`: as the report shall name it.
nlohmann::json profiled_launch(RunnerProcess& runner, Trial trial, const std::string& shape);

}  // namespace tilelab::judge
