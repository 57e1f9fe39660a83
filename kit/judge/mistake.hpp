// A mistake that kernels are known for, as a problem describes it: its sentences, and what an output would then hold. Plain data
// and functions of a trial. explain() finds out whether a student made it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/trial.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::judge {

// What one element of the output would hold. `unknown`: it depends on something that the problem does not know, such as memory
// past an input's end, or which of two threads wrote last.
struct Guess {
  enum class State { value, unwritten, unknown };
  State state = State::unknown;
  double value = 0, bound = 0;  // right if within `bound` of `value`
};

// One way in which the mistake may have been made. It is called for every launch of a case, also for those whose output was
// right: for a shape on which the mistake does no harm, it answers the right values. The configuration comes from the submission
// and may hold any numbers: trust no size in it.
using GuessOfElement = std::function<Guess(std::size_t row, std::size_t column)>;
using Variant = std::function<GuessOfElement(const Trial& trial, const protocol::LaunchConfig& config)>;

inline constexpr Guess unwritten{Guess::State::unwritten, 0, 0};
inline constexpr unsigned largest_block_side = 1024;  // a submission may give any numbers

// A variant from a function of a launch as the mistake sees it, and an element's row and column.
template <class Launch, class Element>
Variant variant_of(Element element) {
  return [element](const Trial& trial, const protocol::LaunchConfig& config) -> GuessOfElement {
    return [launch = Launch(trial, config), element](std::size_t row, std::size_t column) { return element(launch, row, column); };
  };
}

struct Mistake {
  std::string name;      // "a-transposed": the name that a reject's first line demands
  std::string sentence;  // what the kernel does; no digits, so that no hidden shape is told
  std::string advice;    // what to look at next, without the solution
  std::vector<Variant> variants;
};

// Looks for the one mistake that explains a wrong output. It must reproduce every element of that output, and also of every
// launch of the same case whose output was right. If two of the problem's mistakes fit, or the evidence is weak, nothing is
// said. Where none fits, the generic mistakes are tried.

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
