// How a histogram is traced and profiled: by the number of values and the number of bins. It multiplies nothing, so a trace shows loads,
// stores and atomics.
#include "judge/traced_problem.hpp"
#include "problems/histogram.hpp"

namespace tilelab::histogram {
namespace {

judge::Trial trial(const std::vector<int>& sizes, const std::string&, judge::RandomStream random) {
  return exact_trial({.n = sizes.at(0), .bins = sizes.at(1) < most_bins ? sizes.at(1) : most_bins}, random);
}

[[maybe_unused]] const bool registered = judge::traces({.name = "histogram",
                                                        .sizes = {"n", "bins"},
                                                        .largest_side = 1024,
                                                        .largest_profiled_side = 1 << 20,
                                                        .usual_profiled_shape = "65536x256",
                                                        .inputs = {"integers"},
                                                        .profiled_inputs = "integers",
                                                        .factors = {},
                                                        .make = trial});

}  // namespace
}  // namespace tilelab::histogram
