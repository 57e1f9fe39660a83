// A histogram as a problem: bins[b] = how many of values[0] to values[n - 1] are b, for every b below `bin_count`. Values are int and may
// be anything; those below 0 or from `bin_count` on are counted nowhere. Bins are unsigned int and hold 0 before the launch, so that
// threads may count up. It provides shapes, inputs, the oracle and the rules that decide whether a kernel is right. A lab's test file is a
// list of calls to the check_ functions.
//
// Each of them runs the submission's kernel once for every shape, and ends the Catch2 case at the first launch that fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/technique.hpp"

namespace tilelab::histogram {

struct Shape {
  int n = 1, bins = 1;
};

inline constexpr int most_bins = 1024;

// The launches that the checks run.
judge::MakesRun<Shape> inside_trial, exact_trial, far_trial, one_value_trial, private_trial;

// Why the threads of a launch with these counters do not count together; empty if they do. Nothing is asked about how threads count: who
// changes memory once for `values_for_a_store` values, and looks at few values itself, has counted together with others.
std::string missed_privacy(Shape shape, const judge::Counters& counters);
inline constexpr std::uint64_t values_for_a_store = 8;        // at least so many values for each store or atomic in global memory
inline constexpr std::uint64_t most_words_of_a_counter = 96;  // that one thread loads and stores, wherever they lie

// Values that all belong in a bin, the lower bins more often than the upper ones: no two of many bins are alike, and a count in the wrong
// bin shows. Every count must be exactly right.
inline constexpr judge::Check check_inside(inside_trial);
// The same, and about one value of eight lies outside: next to the first or the last bin, or some bins further.
inline constexpr judge::Check check_exact(exact_trial);
// The same, and those outside are the least and the greatest int.
inline constexpr judge::Check check_far(far_trial);
// All values are alike, so that all threads meet in one bin.
inline constexpr judge::Check check_one_value(one_value_trial);

// check_exact, and by the executor's counters the threads of a block count together before they change `bins`. A correct kernel that does
// not loses the technique alone. n >= 4096 and bins >= 64: with fewer bins a thread could do it by itself.
inline constexpr judge::Check check_private(private_trial, missed_privacy);

inline std::vector<Shape> random_shapes(int count, Shape least, Shape most) {
  return judge::random_shapes(count, least, most, &Shape::n, &Shape::bins);
}

}  // namespace tilelab::histogram
