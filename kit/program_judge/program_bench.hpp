// The checks of labs whose students hand in a whole program: they run it from within a Catch2 case.
#pragma once

#include <vector>

#include "judge/report/collected_trials.hpp"
#include "judge/report/record.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/program_trial.hpp"

namespace tilelab::judge {

// Runs the submission once, and ends the case there unless it passed. The record is valid until the next run.
const LaunchRecord& check(const ProgramTrial& trial);

// From now on, checks run nothing: their trials are added here, and pass. Null: they run again.
void put_down_programs(std::vector<ProgramTrial>* trials);
// What a person may ask for.
AskedRun asked_run(const ProgramTrial& trial);

// The program that all checks run. main sets it; it must live as long as they run.
void use_program(const BuiltProgram* program);

}  // namespace tilelab::judge
