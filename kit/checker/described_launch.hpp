// Runs a described launch and says what was found in it. There is no right answer to compare with: the verdict is the worst of
// the findings, or how the launch ended.
#pragma once

#include "checker/launch_description.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"

namespace tilelab::checker {

// If reads of unwritten memory are the only findings, the launch runs again with other values in that memory. If the results are
// the same, nothing used what was read, and the findings become notes.
judge::LaunchRecord check_launch(judge::RunnerProcess& runner, const LaunchDescription& launch);

}  // namespace tilelab::checker
