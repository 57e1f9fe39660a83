// Looks for the one mistake that explains a wrong output. It must reproduce every element of that output, and also of every
// launch of the same case whose output was right. If two of the problem's mistakes fit, or the evidence is weak, nothing is
// said. Where none fits, the generic mistakes are tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/mistake.hpp"
#include "judge/trial.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::judge {

struct Explanation {
  std::string mistake, sentence, advice;
};

// One launch of a case.
struct Evidence {
  Trial trial;
  protocol::LaunchConfig config;
  std::vector<double> got;  // the output; empty if it was right
};

// `wrong` is the last launch, whose output was wrong. The outputs of `earlier` were right.
std::optional<Explanation> explain(const std::vector<Evidence>& earlier, const Evidence& wrong);

// Mistakes that any kernel with one output can have, told from what the output must hold and what it holds. They need nothing of the
// problem, so a new lab gets them for free. A problem's own mistakes come first, because they know more (see mistake.hpp).

// Those that may explain this output. Numbers that a mistake has, such as the factor of a scaled result, are taken from `got`.
std::vector<Mistake> generic_mistakes(const Trial& trial, const std::vector<double>& got);

// The output of a trial that has exactly one; else nullptr.
const Operand* only_output(const Trial& trial);

}  // namespace tilelab::judge
