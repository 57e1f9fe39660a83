// Judges one run of host code. Of a whole program: how it ended, what kernels and host code did wrong, whether the result is right, and
// whether a kernel computed it. What the program says can only make a verdict worse.
#pragma once

#include "judge/decision/launch_judge.hpp"
#include "judge/program_bench.hpp"
#include "judge/programs/conducted_run.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial);

// One run that is watched: see watch_launcher. No run of a program is judged in reverse order.
LaunchRecord watch_program(const BuiltProgram& program, const ProgramTrial& trial, bool whole_reversed, const nlohmann::json& followed);

// Judges one run of a launcher: a host function of the submission's that gets the operands of a trial, and launches what it likes. What
// the operands hold afterwards is read by the conductor and compared here; so is who wrote it.
// Throws std::runtime_error or nlohmann::json::exception where something of ours fails.
LaunchRecord judge_launcher(const BuiltProgram& program, const Trial& trial, const LaunchOptions& options = {});

// One run that is watched. `followed`: the launch that is traced, as program.json says it; null: none. `whole_reversed`: every launch runs
// reversed. Where no launch is followed and the first run shows nothing, a second one that a judge would make may: then the record's
// `program` says that it is "reversed".
LaunchRecord watch_launcher(const BuiltProgram& program, const Trial& trial, bool whole_reversed, const nlohmann::json& followed);

}  // namespace tilelab::judge
