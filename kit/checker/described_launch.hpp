// Runs a described launch and says what was found in it. No answer of it is right or wrong: the verdict is the worst of
// the findings, or how the launch ended.
#pragma once

#include "checker/launch_description.hpp"
#include "judge/record.hpp"
#include "judge/runner_process.hpp"

namespace tilelab::checker {

// Where reads of unwritten memory are all there is, the launch is run again with other contents there; when it leaves the
// same results, nothing used what was read, and the findings become notes.
judge::LaunchRecord check_launch(judge::RunnerProcess& runner, const LaunchDescription& launch);

}  // namespace tilelab::checker
