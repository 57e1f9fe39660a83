// What a problem says of itself so that its kernels can be timed: what a launch of some shape is given, what it cannot do
// without, and whether an output is right. A problem registers itself; the timer finds it by name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "runner/protocol.hpp"

namespace tilelab::judge {

struct SampledElement {
  std::size_t row = 0, column = 0;
  double expected = 0;
  float actual = 0;
  double relative_error = 0;
};

// What came of looking at one round's output.
struct Inspection {
  std::string fault;                     // empty: nothing is wrong
  std::vector<SampledElement> elements;  // some, for a person to look at
};

struct TimedWork {
  std::string shape;  // "M=1024 N=1024 K=1024"
  std::vector<protocol::Argument> arguments;
  std::vector<int> launch_arguments;
  double flops = 0, bytes = 0;  // of the problem: each input read once, each output written once
  // Of the output of `round`, whose inputs follow from `seed` by runner/timed_input.hpp. Randomness is the caller's, and secret:
  // a kernel must not know what is looked at.
  std::function<Inspection(std::uint64_t seed, std::uint64_t round, std::span<const float> output, RandomStream random)> inspect;
};

struct TimedProblem {
  std::string name;                // of its header: "matmul"
  std::vector<std::string> sizes;  // what a shape's numbers are called, in their order
  std::function<TimedWork(const std::vector<int>& sizes)> make;
};

// For a namespace-scope constant in the problem's source. Returns true.
bool times(TimedProblem problem);

// The work of `shape` ("1024x1024x1024"). Throws std::invalid_argument, in words for whoever asked.
TimedWork work_to_time(const std::string& problem, const std::string& shape);

}  // namespace tilelab::judge
