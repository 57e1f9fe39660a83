#include "judge/traced_problem.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tilelab::judge {
namespace {

constexpr int usual_profiled_side = 128;

std::vector<TracedProblem>& traced_ones() {
  static std::vector<TracedProblem> problems;
  return problems;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<int> numbers_in(const std::string& shape) {
  std::vector<int> numbers;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  for (;;) {
    int number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return {};
    numbers.push_back(number);
    if (after == end) return numbers;
    if (*after != 'x') return {};
    at = after + 1;
  }
}

std::vector<int> sizes_in(const std::string& shape, const TracedProblem& problem, int largest, const char* done) {
  std::vector<int> sizes = numbers_in(shape);
  const bool fits = std::ranges::all_of(sizes, [&](int side) { return side >= 1 && side <= largest; });
  if (sizes.size() == problem.sizes.size() && fits) return sizes;
  throw std::invalid_argument("the shape " + shape + " cannot be " + done + ": it takes " + joined(problem.sizes, "x") +
                              ", each from 1 to " + std::to_string(largest));
}

}  // namespace

bool traces(TracedProblem problem) {
  traced_ones().push_back(std::move(problem));
  return true;
}

const std::vector<TracedProblem>& traced_problems() { return traced_ones(); }

Trial trial_to_trace(const TracedProblem& problem, const std::string& shape, const std::string& inputs) {
  const std::vector<int> sizes = sizes_in(shape, problem, problem.largest_side, "traced");
  if (std::ranges::find(problem.inputs, inputs) == problem.inputs.end()) {
    throw std::invalid_argument("there are no inputs " + inputs + ": it takes " + joined(problem.inputs, ", "));
  }
  return problem.make(sizes, inputs, RandomStream(1));
}

std::string usual_profiled_shape(const TracedProblem& problem) {
  if (!problem.usual_profiled_shape.empty()) return problem.usual_profiled_shape;
  return joined(std::vector<std::string>(problem.sizes.size(), std::to_string(usual_profiled_side)), "x");
}

Trial trial_to_profile(const TracedProblem& problem, const std::string& shape) {
  return problem.make(sizes_in(shape, problem, problem.largest_profiled_side, "profiled"), problem.profiled_inputs, RandomStream(1));
}

}  // namespace tilelab::judge
