// A sum as a problem: `sum` = in[0] + in[1] + ... + in[n - 1], fp32. `sum` is one element and holds 0 before the launch, so that blocks
// may add to it. It provides sizes, inputs, the oracle and the rules that decide whether a kernel is right. A lab's test file is a
// list of calls to the check_ functions.
//
// Each of them runs the submission's kernel once for every n, and ends the Catch2 case at the first launch that fails.
#pragma once

#include <cstdint>
#include <string>

#include "judge/technique.hpp"

namespace tilelab::reduction {

// The launches that the checks run.
judge::MakesRun<int> exact_trial, quarters_trial, close_trial, combined_trial;

// Why the threads of a launch with these counters do not combine what they have; empty if they do. Nothing is asked about the way from
// thread to thread: who changes memory once for `numbers_for_a_store` numbers, and handles fewer itself, has got some from other threads.
std::string missed_combining(int n, const judge::Counters& counters);
inline constexpr std::uint64_t numbers_for_a_store = 128;     // at least so many numbers for each store or atomic in global memory
inline constexpr std::uint64_t most_words_of_a_summand = 96;  // that one thread loads and stores, wherever they lie

// Whole numbers from 1 to 1000, or to less where n is large: every partial sum is below 2^24 and so exact in fp32, in any order of
// summation. The sum must be exactly right. No number is 0, so a number that is left out or taken twice shows. n < 2^21.
inline constexpr judge::Check check_exact(exact_trial);

// check_exact with quarters of both signs, never 0: a sum in a variable of an integer type, or of magnitudes, cannot be right.
inline constexpr judge::Check check_quarters(quarters_trial);

// Random numbers in (-1, 1). The sum must be within 4·√n·u·Σ|x| of the fp64 sum, u = 2^-24 (the probabilistic form of Higham's bound
// for sums in any order, Accuracy and Stability of Numerical Algorithms, §4.2; Higham and Mary 2019). Sums in fp16 are not. n <= 4096.
inline constexpr judge::Check check_close(close_trial);

// check_exact, and by the executor's counters the threads of a block combine what they have before one of them changes `sum`. A correct
// kernel that does not loses the technique alone. n >= 4096, so that there is something to combine.
inline constexpr judge::Check check_combined(combined_trial, missed_combining);

// n one less than, equal to and one more than each power of two from 2 to `largest`.
using judge::around_powers;

// `count` sizes from `least` to `most`. They follow from the judge's key.
using judge::random_sizes;

}  // namespace tilelab::reduction
