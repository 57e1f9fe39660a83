// Looks for the one mistake that accounts for a wrong output: it must reproduce every element of it, and of every launch of
// the same case that came out right. Where two different mistakes do, or the evidence is thin, nothing is said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/mistake.hpp"
#include "judge/trial.hpp"
#include "runner/protocol.hpp"

namespace tilelab::judge {

struct Explanation {
  std::string mistake, sentence, advice;
};

// One launch of a case.
struct Evidence {
  Trial trial;
  protocol::LaunchConfig config;
  std::vector<float> got;  // the output; empty: it was right
};

// Of the last launch, which went wrong; `earlier` came out right.
std::optional<Explanation> explain(const std::vector<Evidence>& earlier, const Evidence& wrong);

}  // namespace tilelab::judge
