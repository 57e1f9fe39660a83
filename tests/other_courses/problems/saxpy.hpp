// result = alpha·x + y, for arrays of n numbers, fp32. A lab's test file is a list of calls to the check_ functions.
#pragma once

#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::saxpy {

// Whole numbers, so that every element is exact however it is rounded, and must be exactly right. Runs the submission once for each n, and
// ends the Catch2 case at the first run that fails.
void check_exact(const std::vector<int>& sizes);

// `count` sizes from 1 to `most`. They follow from the judge's key.
std::vector<int> random_sizes(int count, int most);

judge::Trial exact_trial(int n, judge::RandomStream random);

}  // namespace tilelab::saxpy
