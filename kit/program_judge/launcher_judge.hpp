// Judges one run of a launcher: a host function of the submission's that gets the operands of a trial, and launches what it likes. What
// the operands hold afterwards is read by the conductor and compared here; so is who wrote it.
#pragma once

#include "judge/decision/launch_judge.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"
#include "program_judge/conducted_run.hpp"

namespace tilelab::judge {

// Throws std::runtime_error or nlohmann::json::exception where something of ours fails.
LaunchRecord judge_launcher(const BuiltProgram& program, const Trial& trial, const LaunchOptions& options = {});

}  // namespace tilelab::judge
