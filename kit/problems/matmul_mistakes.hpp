// The known mistakes of kernels for C = A·B, each with the C that it would produce.
#pragma once

#include <vector>

#include "judge/mistake.hpp"

namespace tilelab::matmul {

// All of them, for trials with the operands A, B, C, M, N, K in this order.
const std::vector<judge::Mistake>& mistakes();

}  // namespace tilelab::matmul
