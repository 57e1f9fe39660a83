// What a problem provides so that its kernels can be timed: the arguments of a launch of some shape, the least work, and a check
// whether an output is right. A problem registers itself; the timer finds it by name.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::judge {

struct SampledElement {
  std::size_t row = 0, column = 0;
  double expected = 0;
  float actual = 0;
  double relative_error = 0;
};

// The result of inspecting one round's output.
struct Inspection {
  std::string fault;                     // what is wrong; empty if nothing is
  std::vector<SampledElement> elements;  // a few, for a person to look at
  // The size of the errors: the ratio of two root mean squares over sampled elements, errors and right values. It tells fp32 from
  // TF32 or bfloat16. Negative: not looked at, because in this round such numbers too are exact, or an output is not finite.
  double relative_error = -1;
};

struct TimedWork {
  std::string shape;  // "M=1024 N=1024 K=1024"
  std::vector<protocol::Argument> arguments;
  std::vector<int> launch_arguments;
  double flops = 0, bytes = 0;  // of the problem: each input read once, each output written once
  // Inspects the output of the round whose inputs follow from `seed` by protocol/timed_input.hpp. The caller provides the randomness
  // and keeps it secret, because a kernel must not know which elements are inspected.
  std::function<Inspection(std::uint64_t seed, std::span<const float> output, RandomStream random)> inspect;
};

// The arguments of a launch that is timed: a buffer of floats, and a size.
inline protocol::Argument timed_buffer(const char* name, protocol::Role role, std::size_t rows, std::size_t columns) {
  return {.name = name, .role = role, .element = "float", .bytes = rows * columns * sizeof(float), .bits = 0, .row_elements = columns};
}
inline protocol::Argument timed_size(const char* name, int value) {
  return {.name = name, .element = "int", .bytes = 4, .bits = static_cast<std::uint64_t>(value), .row_elements = 0};
}

// A sampled element whose right value is known.
inline SampledElement sampled_element(std::size_t row, std::size_t column, double expected, float actual) {
  const double error = std::abs(static_cast<double>(actual) - expected);
  return {row, column, expected, actual, expected != 0 ? error / std::abs(expected) : error};
}

struct TimedProblem {
  std::string name;                // the name of its header: "matmul"
  std::vector<std::string> sizes;  // the names of a shape's numbers, in order
  std::function<TimedWork(const std::vector<int>& sizes)> make;
};

// Call it to initialise a namespace-scope constant in the problem's source file. Returns true.
bool times(TimedProblem problem);

// The work of `shape` ("1024x1024x1024"). Throws std::invalid_argument; its text is for the person who gave the shape.
TimedWork work_to_time(const std::string& problem, const std::string& shape);

}  // namespace tilelab::judge
