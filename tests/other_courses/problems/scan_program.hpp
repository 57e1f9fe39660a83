// Two programs in one: `scan IN OUT` writes the exclusive prefix sums of the numbers in IN, `find_repeats IN OUT` the indices i at which
// numbers i and i + 1 are equal, in ascending order. Files hold ints as they lie in memory. A lab's test file is a list of calls to the
// check_ functions, which run the program once for each n and end the Catch2 case at the first run that fails.
#pragma once

#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "program_judge/program_trial.hpp"

namespace tilelab::scan_program {

void check_scan(const std::vector<int>& sizes);
void check_repeats(const std::vector<int>& sizes);  // n >= 2

// `count` sizes from 2 to `most`. They follow from the judge's key.
std::vector<int> random_sizes(int count, int most);

judge::ProgramTrial scan_trial(int n, judge::RandomStream random);
judge::ProgramTrial repeats_trial(int n, judge::RandomStream random);

}  // namespace tilelab::scan_program
