// Judges one run of a whole program: how it ended, what kernels and host code did wrong, whether the result is right, and whether a
// kernel computed it. What the program says can only make a verdict worse.
#pragma once

#include "judge/program_bench.hpp"
#include "judge/programs/conducted_run.hpp"
#include "judge/report/record.hpp"

namespace tilelab::judge {

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial);

// One run that is watched: see watch_launcher. No run of a program is judged in reverse order.
LaunchRecord watch_program(const BuiltProgram& program, const ProgramTrial& trial, bool whole_reversed, const nlohmann::json& followed);

}  // namespace tilelab::judge
