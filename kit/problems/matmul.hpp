// Matrix multiplication as a problem: C = A·B, row-major, A (MxK), B (KxN), C (MxN), fp32. It provides shapes, inputs, the fp64
// oracle and the two rules that decide whether C is right. A lab's test file is a list of calls to the check_ functions.
//
// Each of them runs the submission's kernel once for every shape, and ends the Catch2 case at the first launch that fails.
#pragma once

#include <string>
#include <vector>

#include "judge/mistake.hpp"
#include "judge/technique.hpp"

namespace tilelab::matmul {

struct Shape {
  int M = 1, N = 1, K = 1;
};

// The launches that the checks run.
judge::MakesRun<Shape> exact_trial, quarters_trial, non_finite_trial, close_trial, counted_trial;

// Whole numbers from ±1 to ±8, never 0; from K = 16 on also one of 12 bits in each row of A and each column of B, so that no input may be
// rounded to TF32 or less. Every partial sum is exact in fp32 (below 2^24) in any order of summation, so C must equal the product exactly.
// Without zeros, an element with a missing product cannot be right.
inline constexpr judge::Check check_exact(exact_trial);

// check_exact with quarters from ±1/4 to ±2. A sum in a variable of an integer type, or products of one, cannot be right.
inline constexpr judge::Check check_quarters(quarters_trial);

// check_exact with Inf and NaN in a few elements, never in row 0 of A nor in column 0 of B. An element of C whose row of A and
// whose column of B hold only finite numbers must be exact: no other row or column may be seen in it. The elements of the other
// rows and columns must be written, no more: a kernel may multiply an Inf by a zero that fills its own row or column up, and may
// add up with compensation. M, N >= 4.
inline constexpr judge::Check check_non_finite(non_finite_trial);

// Random numbers in (-1, 1). Each element must be within 4·√K·u·(|A||B|)ij of the fp64 product, u = 2^-24 (the probabilistic form
// of Higham's γ_K; Higham and Mary 2019). fp32 sums are well within it in any order; TF32 or fp16 products are not. K <= 257.
inline constexpr judge::Check check_close(close_trial);

// check_exact that also counts the launch's memory traffic, for the report and for performance tiers.
inline constexpr judge::Check check_counted(counted_trial);

// check_counted, with a limit: the kernel's loads from global memory, in bytes as the executor counts them, are at most
// `fraction` of the naive kernel's, where one thread for each element of C loads two floats for each of the M·N·K products. Local
// arrays that no GPU keeps in registers count as global memory. Each element of A and B must be loaded at least once, and the
// work must be shared by enough threads.
void check_reuse(Shape shape, double fraction);
// The same of each shape in each list. Where the lab asks for shared memory, one of them, by the judge's key, tells of its use: it takes
// two launches more.
void check_reuse(const std::vector<std::vector<Shape>>& shapes, double fraction);

// Why a launch with these counters misses that technique; empty: it does not.
std::string missed_reuse(Shape shape, double fraction, const judge::Counters& counters);

// Nine shapes whose sides are `side` - 1, `side` or `side` + 1. For any two of M, N and K, every combination occurs.
std::vector<Shape> around(int side);

// `count` shapes with sides from 1 to the limit's, each a multiple of `step`. They follow from the judge's key.
std::vector<Shape> random_shapes(int count, Shape limit, int step = 1);
// Likewise, with sides from those of `least` on.
std::vector<Shape> random_shapes(int count, Shape least, Shape limit, int step = 1);

// The lab's example by hand: A[i][k] = 4·i + (k mod 4) + 1 + 16·⌊k/4⌋. B has the same formula with B[k][j] for A[j][k], so that B
// is the transpose of A if both are square. Sides are at most `largest_worked`, so that every sum is exact in fp32.
inline constexpr int largest_worked = 64;
judge::Trial worked_trial(Shape shape);

// The known mistakes of kernels for C = A·B, each with the C that it would produce.

// All of them, for trials with the operands A, B, C, M, N, K in this order.
const std::vector<judge::Mistake>& mistakes();

}  // namespace tilelab::matmul
