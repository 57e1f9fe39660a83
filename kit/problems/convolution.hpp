// Convolution of a picture with a mask of 5×5 weights as a problem, fp32, row-major:
//   out[y][x] = sum over i, j of mask[i][j] · image[y + i - 2][x + j - 2]
// Pixels outside the picture count as 0, and the mask is not turned round. It provides shapes, inputs, the oracle and the rules that
// decide whether a submission is right. A lab's test file is a list of calls to the check_ functions.
//
// Each of them runs the submission once for every shape, and ends the Catch2 case at the first run that fails.
#pragma once

#include <string>
#include <vector>

#include "judge/technique.hpp"

namespace tilelab::convolution {

struct Shape {
  int height = 1, width = 1;
};

inline constexpr int radius = 2, mask_side = 2 * radius + 1;

// The runs that the checks make.
judge::MakesRun<Shape> exact_trial, close_trial, tiled_trial;

// Why a run with these counters, summed over its launches, does not load tiles; empty if it does.
std::string missed_tiling(Shape shape, const judge::Counters& counters);

// Quarters of both signs as pixels, of up to 12 bits, 25 different whole numbers as weights, nothing is 0: a pixel or weight that is left
// out, used twice or mistaken for another shows. Every partial sum is exact in fp32, in any order, fused or not. Every element must be
// exactly right.
inline constexpr judge::Check check_exact(exact_trial);

// Random numbers in (-1, 1). Each element must be within 26·u·Σ|mask·image| of the fp64 sum, u = 2^-24 (Higham, Accuracy and Stability of
// Numerical Algorithms, §3.1, for sums of 25 products in any order). Sums in fp16 are not.
inline constexpr judge::Check check_close(close_trial);

// check_exact, and by the executor's counters a pixel is loaded from global memory few times, and so is the mask. A correct submission
// that does not loses the technique alone. Sides from 64 on: a smaller picture is mostly edge.
inline constexpr judge::Check check_tiled(tiled_trial, missed_tiling);

inline std::vector<Shape> around(int side) { return judge::shapes_around<Shape>(side); }
inline std::vector<Shape> random_shapes(int count, Shape least, Shape most) {
  return judge::random_shapes(count, least, most, &Shape::height, &Shape::width);
}

}  // namespace tilelab::convolution
