// How a matrix product is traced and profiled: by M, N and K, as a sum of products of elements of A and B.
#include "judge/traced_problem.hpp"
#include "problems/matmul.hpp"

namespace tilelab::matmul {
namespace {

judge::Trial trial(const std::vector<int>& sizes, const std::string& inputs, judge::RandomStream random) {
  const Shape shape{.M = sizes.at(0), .N = sizes.at(1), .K = sizes.at(2)};
  if (inputs == "worked") return worked_trial(shape);
  return inputs == "integers" ? exact_trial(shape, random) : close_trial(shape, random);
}

[[maybe_unused]] const bool registered = judge::traces({.name = "matmul",
                                                        .sizes = {"M", "N", "K"},
                                                        .largest_side = largest_worked,
                                                        .largest_profiled_side = 512,
                                                        .inputs = {"worked", "integers", "random"},
                                                        .profiled_inputs = "integers",
                                                        .factors = {"A", "B"},
                                                        .make = trial});

}  // namespace
}  // namespace tilelab::matmul
