#include "judge/traced_problem.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tilelab::judge {
namespace {

std::vector<TracedProblem>& registered() {
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

}  // namespace

bool traces(TracedProblem problem) {
  registered().push_back(std::move(problem));
  return true;
}

const std::vector<TracedProblem>& traced_problems() { return registered(); }

Trial trial_to_trace(const TracedProblem& problem, const std::string& shape, const std::string& inputs) {
  const std::vector<int> sizes = numbers_in(shape);
  const bool small = std::ranges::all_of(sizes, [&](int side) { return side >= 1 && side <= problem.largest_side; });
  if (sizes.size() != problem.sizes.size() || !small) {
    throw std::invalid_argument("the shape " + shape + " cannot be traced: it takes " + joined(problem.sizes, "x") + ", each from 1 to " +
                                std::to_string(problem.largest_side));
  }
  if (std::ranges::find(problem.inputs, inputs) == problem.inputs.end()) {
    throw std::invalid_argument("there are no inputs " + inputs + ": it takes " + joined(problem.inputs, ", "));
  }
  return problem.make(sizes, inputs, RandomStream(1));
}

}  // namespace tilelab::judge
