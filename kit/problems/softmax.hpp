// Softmax as a problem: for each row of `in`, out[r][c] = exp(in[r][c]) / (exp(in[r][0]) + ... + exp(in[r][columns - 1])). Both are
// row-major, fp32. It provides shapes, inputs, the oracle and the rules that decide whether a result is right. A lab's test file is a list
// of calls to the check_ functions.
//
// Each of them runs the submission once for every shape, and ends the Catch2 case at the first run that fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/technique.hpp"

namespace tilelab::softmax {

struct Shape {
  int rows = 1, columns = 1;
};

inline constexpr int most_columns = 1 << 14;

// The runs that the checks make.
judge::MakesRun<Shape> small_trial, shifted_trial, peaked_trial, level_trial, shared_trial;

// Why a run with these counters does not share its rows; empty if it does. Nothing is asked about the way from thread to thread.
std::string missed_sharing(Shape shape, const judge::Counters& counters);
// That one thread loads and stores in a launch, wherever they lie. All launches together may take 5/2 for each column: less than a thread
// that does a row alone, and more than a warp, if each row has launches of its own.
inline constexpr std::uint64_t most_words_of_a_worker = 512;

// Every result must be within (16 + 4·√columns + 4·(|x| + |m|))·u·y, u = 2^-24, of the right y; x is the element, m its row's maximum.
// exp of a rounded argument is off by the argument's error, up to |x| + |m| units; expf is at most 2 ulp off and a division too; a sum in
// any order by about √columns (Higham and Mary 2019). Results below 2^-126 may be anything from 0 to 2^-125.

// Random numbers from -8 to 8.
inline constexpr judge::Check check_small(small_trial);
// The same, and a number of its own is added to each row, from -1000 to 1000: the result is the same, but exp of most elements is
// infinite or 0 in fp32.
inline constexpr judge::Check check_shifted(shifted_trial);
// In each row one element is the largest by far, at a random place; the others are 0 beside it, most of them even in fp32.
inline constexpr judge::Check check_peaked(peaked_trial);
// All elements of a row are alike, and negative: each result is 1 / columns.
inline constexpr judge::Check check_level(level_trial);

// check_small, and by the executor's counters several threads share a row. A right launcher whose threads do not loses the technique
// alone. 512 <= columns <= 2048, so that a warp may do a row, and a thread may not; at most 12 rows, for the sake of launches for a row.
inline constexpr judge::Check check_shared(shared_trial, missed_sharing);

inline std::vector<Shape> random_shapes(int count, Shape least, Shape most) {
  return judge::random_shapes(count, least, most, &Shape::rows, &Shape::columns);
}

}  // namespace tilelab::softmax
