// The checks of labs whose students hand in a whole program: they run it from within a Catch2 case.
#pragma once

#include "judge/report/record.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/program_trial.hpp"

namespace tilelab::judge {

// Runs the submission once, and ends the case there unless it passed. The record is valid until the next run.
const LaunchRecord& check(const ProgramTrial& trial);

// The program that all checks run. main sets it; it must live as long as they run.
void use_program(const BuiltProgram* program);

}  // namespace tilelab::judge
