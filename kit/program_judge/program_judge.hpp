// Judges one run of a whole program: how it ended, what kernels and host code did wrong, whether the result is right, and whether a
// kernel computed it. What the program says can only make a verdict worse.
#pragma once

#include "judge/record.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/program_trial.hpp"

namespace tilelab::judge {

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial);

// The verdict that a host's mistake of this kind (run.json's "host") earns; pass for those that are only told.
Verdict verdict_of_host_mistake(const std::string& kind);

}  // namespace tilelab::judge
