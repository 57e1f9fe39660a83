// Prefix sums as a problem: out[i] = in[0] + in[1] + ... + in[i] for every i below n. Numbers are int, so no sum is rounded and the order
// of additions does not matter. It provides sizes, inputs, the oracle and the rules that decide whether a submission is right. A lab's
// test file is a list of calls to the check_ functions.
//
// Each of them runs the submission once for every n, and ends the Catch2 case at the first run that fails.
#pragma once

#include <cstdint>
#include <string>

#include "judge/technique.hpp"

namespace tilelab::scan {

inline constexpr int most_numbers = 300'000;

// The runs that the checks make.
judge::MakesRun<int> exact_trial, large_trial, shared_out_trial;

// Why a run with these counters, summed over its launches, does not share its work out; empty if it does.
std::string missed_sharing(int n, const judge::Counters& counters);
inline constexpr std::uint64_t most_words_of_a_thread = 256;  // that one thread loads and stores, wherever they lie
inline constexpr std::uint64_t most_words_of_a_turn = 1024;   // the same, of the busiest threads of all launches together
inline constexpr std::uint64_t most_words_of_a_number = 6;    // that are loaded and stored in global memory

// Whole numbers of both signs, never 0, more of them positive: a number that is left out or taken twice shows in every sum after it. No
// sum of any of them overflows. Every element must be exactly right. n <= most_numbers.
inline constexpr judge::Check check_exact(exact_trial);
// The same with the largest numbers for which no sum overflows: sums that pass through a float lose their last digits.
inline constexpr judge::Check check_large(large_trial);

// check_exact, and by the executor's counters the work is shared among threads and each number passes global memory a few times only. A
// correct submission that does not loses the technique alone. n >= 100,000: with fewer a single block could do it.
inline constexpr judge::Check check_shared_out(shared_out_trial, missed_sharing);

// `count` sizes from `least` to `most`. They follow from the judge's key.
using judge::random_sizes;

}  // namespace tilelab::scan
