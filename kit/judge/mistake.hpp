// A mistake that kernels are known for, as a problem describes it: its words, and what an output would then hold. Plain data
// and functions of a trial; whether a student made it is explanation.hpp's to find out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "judge/trial.hpp"
#include "runner/protocol.hpp"

namespace tilelab::judge {

// What one element of the output would hold. `unknown`: it depends on what the problem does not know, such as memory past an
// input's end, or which of two threads wrote last.
struct Guess {
  enum class State { value, unwritten, unknown };
  State state = State::unknown;
  double value = 0, bound = 0;  // right within the bound
};

// One way in which the mistake may have been made. It is asked with every launch of a case, those that came out right
// included: where a shape does not bring the mistake to light, it answers what is right. The configuration is the
// submission's, and bounded by nothing: no size in it is to be trusted.
using GuessOfElement = std::function<Guess(std::size_t row, std::size_t column)>;
using Variant = std::function<GuessOfElement(const Trial& trial, const protocol::LaunchConfig& config)>;

struct Mistake {
  std::string name;      // "a-transposed": what a reject demands
  std::string sentence;  // what the kernel does, without a digit: nothing of a hidden shape
  std::string advice;    // what to look at next, without the solution
  std::vector<Variant> variants;
};

}  // namespace tilelab::judge
