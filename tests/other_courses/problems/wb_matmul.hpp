// A product of matrices as a program with libwb computes it: it reads A and B from the files that its command line names, as text, and
// hands C = A·B to wbSolution. See wb.h of the lab. A lab's test file is a list of calls to the check_ functions.
#pragma once

#include <vector>

#include "judge/program_bench.hpp"
#include "judge/random_stream.hpp"

namespace tilelab::wb_matmul {

// C is M×N, and K is the side that A and B share.
struct Shape {
  int M = 1, N = 1, K = 1;
};

// Whole numbers from ±1 to ±8, so that every sum is exact in fp32. C must be exactly right. Runs the program once for each shape, and ends
// the Catch2 case at the first run that fails.
void check_product(const std::vector<Shape>& shapes);

// `count` shapes with sides from 1 to the limit's. They follow from the judge's key.
std::vector<Shape> random_shapes(int count, Shape limit);

judge::ProgramTrial product_trial(Shape shape, judge::RandomStream random);

}  // namespace tilelab::wb_matmul
