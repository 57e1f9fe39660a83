// The second run of a program that passed: the device gets other numbers than the host has read. What the host computed is then another
// result than what a kernel makes of the numbers that it was given. What the program reads from the device are still the bytes of the first
// run: so the host learns nothing of the other numbers.
#pragma once

#include "judge/report/record.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/program_trial.hpp"

namespace tilelab::judge {

// `trial` has altered files. How the program ends, what it prints and what it writes down counts for nothing: a program that checks the
// GPU's result against its own finds it wrong. Throws as conduct does.
void judge_altered_run(LaunchRecord& record, const BuiltProgram& program, const ProgramTrial& trial);

}  // namespace tilelab::judge
