// How a sum is traced and profiled: by n. It multiplies nothing, so a trace shows loads, stores and atomics.
#include "judge/traced_problem.hpp"
#include "problems/reduction.hpp"

namespace tilelab::reduction {
namespace {

judge::Trial trial(const std::vector<int>& sizes, const std::string&, judge::RandomStream random) {
  return exact_trial(sizes.at(0), random);
}

[[maybe_unused]] const bool registered = judge::traces({.name = "reduction",
                                                        .sizes = {"n"},
                                                        .largest_side = 1024,
                                                        .largest_profiled_side = 1 << 20,
                                                        .usual_profiled_shape = "65536",
                                                        .inputs = {"integers"},
                                                        .profiled_inputs = "integers",
                                                        .factors = {},
                                                        .make = trial});

}  // namespace
}  // namespace tilelab::reduction
