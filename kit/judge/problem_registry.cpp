// The problems that registered themselves, and the shapes that they are asked for ("64x96x32").
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "judge/timed_problem.hpp"
#include "judge/traced_problem.hpp"

namespace tilelab::judge {
namespace {

constexpr int longest_side = 1 << 20, usual_profiled_side = 128, usual_traced_side = 8;

// A problem may register itself before main, so the list is made when it is first used.
template <class Problem>
std::vector<Problem>& registered() {
  static std::vector<Problem> problems;
  return problems;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// The sides of a shape, if there are `count` of them, each from 1 to `largest`; else none.
std::vector<int> sides_in(const std::string& shape, std::size_t count, int largest) {
  std::vector<int> sides;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  for (;;) {
    int side = 0;
    const auto [after, error] = std::from_chars(at, end, side);
    if (error != std::errc{} || side < 1 || side > largest) return {};
    sides.push_back(side);
    if (after == end) return sides.size() == count ? sides : std::vector<int>{};
    if (*after != 'x') return {};
    at = after + 1;
  }
}

std::vector<int> sizes_in(const std::string& shape, const TracedProblem& problem, int largest, const char* done) {
  const std::vector<int> sizes = sides_in(shape, problem.sizes.size(), largest);
  if (!sizes.empty()) return sizes;
  throw std::invalid_argument("the shape " + shape + " cannot be " + done + ": it takes " + joined(problem.sizes, "x") +
                              ", each from 1 to " + std::to_string(largest));
}

// "8x8x8"
std::string cube(const TracedProblem& problem, int side) {
  return joined(std::vector<std::string>(problem.sizes.size(), std::to_string(side)), "x");
}

}  // namespace

bool traces(TracedProblem problem) {
  registered<TracedProblem>().push_back(std::move(problem));
  return true;
}

const TracedProblem* traced_problem(const std::string& name) {
  const auto found = std::ranges::find(registered<TracedProblem>(), name, &TracedProblem::name);
  return found == registered<TracedProblem>().end() ? nullptr : &*found;
}

Trial trial_to_trace(const TracedProblem& problem, const std::string& shape, const std::string& inputs) {
  const std::vector<int> sizes =
      sizes_in(shape.empty() ? cube(problem, usual_traced_side) : shape, problem, problem.largest_side, "traced");
  if (!inputs.empty() && std::ranges::find(problem.inputs, inputs) == problem.inputs.end())
    throw std::invalid_argument("there are no inputs " + inputs + ": it takes " + joined(problem.inputs, ", "));
  return problem.make(sizes, inputs.empty() ? problem.inputs.front() : inputs, RandomStream(1));
}

std::string usual_profiled_shape(const TracedProblem& problem) {
  return problem.usual_profiled_shape.empty() ? cube(problem, usual_profiled_side) : problem.usual_profiled_shape;
}

Trial trial_to_profile(const TracedProblem& problem, const std::string& shape) {
  return problem.make(sizes_in(shape, problem, problem.largest_profiled_side, "profiled"), problem.profiled_inputs, RandomStream(1));
}

bool times(TimedProblem problem) {
  registered<TimedProblem>().push_back(std::move(problem));
  return true;
}

TimedWork work_to_time(const std::string& problem, const std::string& shape) {
  const auto found = std::ranges::find(registered<TimedProblem>(), problem, &TimedProblem::name);
  if (found == registered<TimedProblem>().end())
    throw std::invalid_argument("the problem " + problem + " does not say how it is timed: its author adds kit/problems/" + problem +
                                "_timing.cpp (judge::times), or leaves [performance] out of lab.toml");
  const std::vector<int> sides = sides_in(shape, found->sizes.size(), longest_side);
  if (sides.empty()) {
    throw std::invalid_argument("the shape " + shape + " cannot be timed: " + problem + " takes " + std::to_string(found->sizes.size()) +
                                " sides, with x between them");
  }
  return found->make(sides);
}

}  // namespace tilelab::judge
