// Looks for the one mistake that explains a wrong output. It must reproduce every element of that output, and also of every
// launch of the same case whose output was right. If two of the problem's mistakes fit, or the evidence is weak, nothing is
// said. Where none fits, those of generic_mistakes.hpp are tried.
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

}  // namespace tilelab::judge
