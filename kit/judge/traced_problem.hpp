// What a problem provides so that `tilelab trace` and `tilelab profile` can run any kernel of it on one size. A problem registers
// itself; a judge finds it by name. A problem that is not registered is traced and profiled on
// the shapes of its lab's public tests (report/watched_launch.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

struct TracedProblem {
  std::string name;                       // the name of its header: "matmul"
  std::vector<std::string> sizes;         // the names of a shape's numbers, in order
  int largest_side = 1;                   // of a shape whose trace a person can still read step by step
  int largest_profiled_side = 1;          // of a shape whose launch takes seconds at most
  std::string usual_profiled_shape = {};  // where none is given; empty: 128 in every size
  std::vector<std::string> inputs = {"integers"};
  std::string profiled_inputs = "integers";  // one of `inputs` that works for every size; traffic does not depend on values
  // Two inputs whose elements are multiplied in pairs; the products are summed into an element of the output. Empty: the problem
  // is not a sum of products, and a trace shows only reads and stores.
  std::vector<std::string> factors = {};
  std::function<Trial(const std::vector<int>& sizes, const std::string& inputs, RandomStream random)> make;
};

// Call it to initialise a namespace-scope constant in the problem's source file. Returns true.
bool traces(TracedProblem problem);
// The one of this name; null: it did not register itself.
const TracedProblem* traced_problem(const std::string& name);

// The trial of `shape` ("8x8x8"). They throw std::invalid_argument; its text is for the person who gave the shape. A trace of no shape is
// of a small one; of no inputs, of the first ones.
Trial trial_to_trace(const TracedProblem& problem, const std::string& shape, const std::string& inputs);
Trial trial_to_profile(const TracedProblem& problem, const std::string& shape);
std::string usual_profiled_shape(const TracedProblem& problem);

}  // namespace tilelab::judge
