// Matrix multiplication as a problem: C = A·B, row-major, A (MxK), B (KxN), C (MxN), fp32. Shapes, inputs, the fp64
// oracle and the two rules by which C is right; a lab's test file is a list of calls to the check_ functions.
//
// Each of them runs the submission's kernel once for every shape, and ends the Catch2 case at the first that fails.
#pragma once

#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::matmul {

struct Shape {
  int M = 1, N = 1, K = 1;
};

// Whole numbers from ±1 to ±8, never 0: every partial sum is exact in fp32 (below 2^24), whatever the order of summation,
// so C must equal the product exactly, and no element of it is right by being left out.
void check_exact(Shape shape);
void check_exact(const std::vector<Shape>& shapes);

// Random numbers in (-1, 1): each element within 4·√K·u·(|A||B|)ij of the fp64 product, u = 2^-24 (the probabilistic form
// of Higham's γ_K; Higham and Mary 2019). fp32 in any order stays far inside; TF32 or fp16 products do not. K <= 257.
void check_close(Shape shape);
void check_close(const std::vector<Shape>& shapes);

// check_exact, and the launch's memory traffic is counted: for the report, and for performance tiers.
void check_counted(Shape shape);

// check_counted, and the kernel's loads from global memory, counted in bytes by the executor, are at most `fraction` of
// what one thread for each element of C loads: two floats for each of the M·N·K products.
void check_reuse(Shape shape, double fraction);

// Nine shapes whose sides are one below, at or above `side`, so that any two of M, N and K meet in every combination.
std::vector<Shape> around(int side);

// `count` shapes with sides from 1 to the limit's, each a multiple of `step`; they follow from the judge's seed.
std::vector<Shape> random_shapes(int count, Shape limit, int step = 1);

// The launches behind the checks.
judge::Trial exact_trial(Shape shape, judge::RandomStream random);
judge::Trial close_trial(Shape shape, judge::RandomStream random);

// The lab's example by hand: A[i][k] = 4·i + (k mod 4) + 1 + 16·⌊k/4⌋, and B by the same formula with B[k][j] for A[j][k], so
// that B is the transpose of A where both are square. Sides up to `largest_worked`, which keeps every sum exact in fp32.
inline constexpr int largest_worked = 64;
judge::Trial worked_trial(Shape shape);

}  // namespace tilelab::matmul
