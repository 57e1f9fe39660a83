// The mistakes that kernels for C = A·B are known for, each with what C would then hold.
#pragma once

#include <vector>

#include "judge/mistake.hpp"

namespace tilelab::matmul {

// All of them, for trials with the operands A, B, C, M, N, K in this order.
const std::vector<judge::Mistake>& mistakes();

std::vector<judge::Mistake> mistakes_in_sums();
std::vector<judge::Mistake> mistakes_in_indices();
std::vector<judge::Mistake> mistakes_in_stores();

}  // namespace tilelab::matmul
