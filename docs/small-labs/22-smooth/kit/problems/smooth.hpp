// A stencil: each element of `out` is the mean of its four neighbours in `in`. Elements at an edge have fewer than four; they are copied.
// Both are M×N, row-major, fp32.
#pragma once

#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::smooth {

struct Shape {
  int M = 1, N = 1;
};

// Whole numbers up to 2^20: a sum of four is below 2^24, and a quarter of it is exact in fp32, so the order of summation does not matter.
void check_exact(const std::vector<Shape>& shapes);

// `count` shapes with sides from 1 to the limit's; they follow from the judge's key.
std::vector<Shape> random_shapes(int count, Shape limit);

judge::Trial exact_trial(Shape shape, judge::RandomStream random);

}  // namespace tilelab::smooth
