#include "judge/timed_problem.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tilelab::judge {
namespace {

constexpr int longest_side = 1 << 20;

std::vector<TimedProblem>& registered() {
  static std::vector<TimedProblem> problems;
  return problems;
}

std::vector<int> sides_of(const std::string& shape) {
  std::vector<int> sides;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  for (;;) {
    int side = 0;
    const auto [after, error] = std::from_chars(at, end, side);
    if (error != std::errc{} || side < 1 || side > longest_side) return {};
    sides.push_back(side);
    if (after == end) return sides;
    if (*after != 'x') return {};
    at = after + 1;
  }
}

}  // namespace

bool times(TimedProblem problem) {
  registered().push_back(std::move(problem));
  return true;
}

TimedWork work_to_time(const std::string& problem, const std::string& shape) {
  const auto found = std::ranges::find(registered(), problem, &TimedProblem::name);
  if (found == registered().end())
    throw std::invalid_argument("the problem " + problem + " does not say how it is timed: its author adds kit/problems/" + problem +
                                "_timing.cpp (judge::times), or leaves [performance] out of lab.toml");
  const std::vector<int> sides = sides_of(shape);
  if (sides.size() != found->sizes.size()) {
    throw std::invalid_argument("the shape " + shape + " cannot be timed: " + problem + " takes " + std::to_string(found->sizes.size()) +
                                " sides, with x between them");
  }
  return found->make(sides);
}

}  // namespace tilelab::judge
