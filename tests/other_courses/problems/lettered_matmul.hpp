// The product of kit/problems/matmul.hpp with another course's names for its three sizes. Known mistakes are not explained: the sentences
// about them say M, N and K. A lab's test file is a list of calls to the check_ functions.
#pragma once

#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::lettered_matmul {

// What the course calls the rows of A and C, the side that A and B share, and the columns of B and C.
struct Letters {
  std::string rows, inner, columns;
};

struct Sizes {
  int rows = 1, inner = 1, columns = 1;
};

// As matmul::check_exact and matmul::check_close: whole numbers, and random numbers with a bound (inner <= 257).
void check_exact(const Letters& letters, const std::vector<Sizes>& all);
void check_close(const Letters& letters, const std::vector<Sizes>& all);

// `count` sizes from 1 to the limit's. They follow from the judge's key.
std::vector<Sizes> random_sizes(int count, Sizes limit);

}  // namespace tilelab::lettered_matmul
