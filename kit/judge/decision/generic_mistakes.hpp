// Mistakes that any kernel with one output can have, told from what the output must hold and what it holds. They need nothing of the
// problem, so a new lab gets them for free. A problem's own mistakes come first, because they know more (see mistake.hpp).
#pragma once

#include <vector>

#include "judge/mistake.hpp"

namespace tilelab::judge {

// Those that may explain this output. Numbers that a mistake has, such as the factor of a scaled result, are taken from `got`.
std::vector<Mistake> generic_mistakes(const Trial& trial, const std::vector<double>& got);

// The output of a trial that has exactly one; else nullptr.
const Operand* only_output(const Trial& trial);

}  // namespace tilelab::judge
