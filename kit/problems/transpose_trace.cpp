// How a transpose is traced and profiled: by M and N. It multiplies nothing, so a trace shows only loads and stores.
#include "judge/traced_problem.hpp"
#include "problems/transpose.hpp"

namespace tilelab::transpose {
namespace {

judge::Trial trial(const std::vector<int>& sizes, const std::string&, judge::RandomStream random) {
  return exact_trial({.M = sizes.at(0), .N = sizes.at(1)}, random);
}

[[maybe_unused]] const bool registered = judge::traces({.name = "transpose",
                                                        .sizes = {"M", "N"},
                                                        .largest_side = 64,
                                                        .largest_profiled_side = 1024,
                                                        .inputs = {"integers"},
                                                        .profiled_inputs = "integers",
                                                        .factors = {},
                                                        .make = trial});

}  // namespace
}  // namespace tilelab::transpose
