// Transposition as a problem: `out` = `in` transposed, `in` M×N, `out` N×M, both row-major, fp32. It provides shapes, inputs, the
// oracle and the two rules that decide whether a kernel is right. A lab's test file is a list of calls to the check_ functions.
//
// Each of them runs the submission's kernel once for every shape, and ends the Catch2 case at the first launch that fails.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "judge/technique.hpp"
#include "judge/trial.hpp"

namespace tilelab::transpose {

// The rows and columns of `in`.
struct Shape {
  int M = 1, N = 1;
};

// `in` holds the whole numbers from 1 to M·N, each once, in random order. They are exact in fp32 (below 2^24), and no element of
// `out` can be right by chance. Nothing is rounded, so every element must be exactly right.
void check_exact(Shape shape);
void check_exact(const std::vector<Shape>& shapes);

// check_exact, and by the executor's counters every element is loaded from global memory once, stored there once, and comes out of
// shared memory to the thread that stores it, most of them from another thread: each value is followed on its way. It does not
// check whether accesses are coalesced.
void check_staged(Shape shape);
void check_staged(const std::vector<Shape>& shapes);

// Why a launch with these counters does not use that technique; empty if it does.
std::string missed_staging(Shape shape, const judge::Counters& counters);

// Nine shapes: each side is `side` - 1, `side` or `side` + 1, in every combination.
std::vector<Shape> around(int side);

// `count` shapes with sides from 1 to the limit's. They follow from the judge's key.
std::vector<Shape> random_shapes(int count, Shape limit);
// Likewise, with sides from those of `least` on.
std::vector<Shape> random_shapes(int count, Shape least, Shape limit);

// The launch that the checks run.
judge::Trial exact_trial(Shape shape, judge::RandomStream random);

}  // namespace tilelab::transpose
