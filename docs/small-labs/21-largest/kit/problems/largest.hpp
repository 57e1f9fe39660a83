// The largest of n whole numbers: `largest` = max(in[0], …, in[n - 1]). `largest` is one element and holds the smallest int before the
// launch, so that blocks may compare with it.
#pragma once

#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::largest {

// All numbers are different and at least one is positive: whoever leaves out a number leaves out the largest in one of the trials.
void check_exact(const std::vector<int>& sizes);

// All numbers are negative: a kernel that begins with 0 is wrong.
void check_negative(const std::vector<int>& sizes);

// `count` sizes from 1 to `most`; they follow from the judge's key.
std::vector<int> random_sizes(int count, int most);

// The launch of a check: its largest number is at place `at` of n.
judge::Trial trial_with_largest_at(int n, int at, bool negative, judge::RandomStream random);

}  // namespace tilelab::largest
