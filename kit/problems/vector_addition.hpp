// Vector addition as a problem for whole programs: `PROGRAM a.bin b.bin c.bin` reads n fp32 numbers from each of the first two files and
// writes a[i] + b[i] to the third. It provides sizes, inputs, the oracle and the rules that decide whether a program is right. A lab's
// test file is a list of calls to the check_ functions.
//
// Each of them runs the submission once for every n, and ends the Catch2 case at the first run that fails. fp32 has one right sum for two
// numbers, the one that IEEE 754 rounds to: every check is exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/program_bench.hpp"
#include "judge/technique.hpp"

namespace tilelab::vector_addition {

// The runs that the checks make.
judge::MakesRun<int, judge::ProgramTrial> whole_trial, any_trial, scarce_trial, followed_trial;

// Whole numbers from 1 to 1,000,000, different from place to place. n < 2^22.
inline constexpr judge::Check check_whole(whole_trial);
// Numbers of both signs, from 2^-30 to 2^30 in size, most of them with many digits: sums are rounded. n < 2^22.
inline constexpr judge::Check check_any(any_trial);

// Numbers with many digits, and a second run in which the GPU gets others: the sums must be those of the numbers that reached it. n from
// 64 to 10,000.
inline constexpr judge::Check check_followed(followed_trial);

// check_whole, and the largest launch has at least one thread for `most_sums_of_a_thread` numbers, and its threads do the work: one loads
// and stores at most `most_words_of_a_thread` numbers in a launch, and the busiest of all launches together n / 8. A right program with
// fewer threads loses the technique alone.
void check_shared(const std::vector<int>& sizes);
inline constexpr std::uint64_t most_sums_of_a_thread = 64, most_words_of_a_thread = 4 * most_sums_of_a_thread;
// Why a run did not share the work so, by what the broker recorded; empty: it did.
std::string missed_sharing(int n, const nlohmann::json& record);

// check_whole, and nothing that was allocated on the device is left when the program ends or resets the device.
void check_freed(const std::vector<int>& sizes);
std::string missed_freeing(const nlohmann::json& record);

// The device has too little memory for the three arrays. The program has to notice: it ends with a status other than 0, and it looked at
// the errors of all its calls. A program that needs less memory, and writes the right sums, is right as well.
inline constexpr judge::Check check_told(scarce_trial);

// `count` sizes from `least` to `most`. They follow from the judge's key.
using judge::random_sizes;

}  // namespace tilelab::vector_addition
