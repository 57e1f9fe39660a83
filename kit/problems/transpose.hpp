// Transposition as a problem: `out` = `in` transposed, `in` M×N, `out` N×M, both row-major, fp32. It provides shapes, inputs, the
// oracle and the two rules that decide whether a kernel is right. A lab's test file is a list of calls to the check_ functions.
//
// Each of them runs the submission's kernel once for every shape, and ends the Catch2 case at the first launch that fails.
#pragma once

#include <string>
#include <vector>

#include "judge/technique.hpp"

namespace tilelab::transpose {

// The rows and columns of `in`.
struct Shape {
  int M = 1, N = 1;
};

// The launches that the checks run.
judge::Trial exact_trial(Shape shape, judge::RandomStream random);
judge::Trial staged_trial(Shape shape, judge::RandomStream random);

// Why a launch with these counters does not use shared memory as it should; empty if it does.
std::string missed_staging(Shape shape, const judge::Counters& counters);

// `in` holds M·N quarters from 8 1/4 on, each once, in random order. They are exact in fp32 (below 2^24 of them), and no element of
// `out` can be right by chance. Nothing is rounded, so every element must be exactly right.
inline constexpr judge::Check check_exact(exact_trial);

// check_exact, and by the executor's counters every element is loaded from global memory once, stored there once, and comes out of
// shared memory to the thread that stores it, most of them from another thread: each value is followed on its way. Lanes of a
// warp are neighbours on both ways: see missed_staging.
inline constexpr judge::Check check_staged(staged_trial, missed_staging);

inline std::vector<Shape> around(int side) { return judge::shapes_around<Shape>(side); }
inline std::vector<Shape> random_shapes(int count, Shape least, Shape limit) {
  return judge::random_shapes(count, least, limit, &Shape::M, &Shape::N);
}
inline std::vector<Shape> random_shapes(int count, Shape limit) { return random_shapes(count, {}, limit); }

}  // namespace tilelab::transpose
