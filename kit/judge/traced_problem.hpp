// What a problem says of itself so that `tilelab trace` and `tilelab profile` can run any kernel of it on one size. A problem
// registers itself; the tracer finds it by name. A problem that does not is graded as ever, and can be neither.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

struct TracedProblem {
  std::string name;                // of its header: "matmul"
  std::vector<std::string> sizes;  // what a shape's numbers are called, in their order
  int largest_side = 1;            // of a shape that is still small enough to be read step by step
  int largest_profiled_side = 1;   // of a shape whose launch takes seconds
  std::vector<std::string> inputs;
  std::string profiled_inputs;  // one of them, that is right for every size; traffic does not follow from values
  // Two inputs whose elements are multiplied in pairs, and the products added up to an element of the output. Empty:
  // the problem is no sum of products, and a trace shows reads and stores alone.
  std::vector<std::string> factors;
  std::function<Trial(const std::vector<int>& sizes, const std::string& inputs, RandomStream random)> make;
};

// For a namespace-scope constant in the problem's source. Returns true.
bool traces(TracedProblem problem);
const std::vector<TracedProblem>& traced_problems();

// The trial of `shape` ("8x8x8"). Throw std::invalid_argument, in words for whoever asked.
Trial trial_to_trace(const TracedProblem& problem, const std::string& shape, const std::string& inputs);
Trial trial_to_profile(const TracedProblem& problem, const std::string& shape);
std::string usual_profiled_shape(const TracedProblem& problem);

}  // namespace tilelab::judge
