#include "problems/histogram.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"
#include "judge/traced_problem.hpp"

namespace tilelab::histogram {
namespace {

constexpr int most_values = 1 << 22, least_private_values = 4096, least_private_bins = 64;

// Instrumented events that a launch may make before it counts as endless: a generous number for each value and bin, and some for the
// idle threads of a large block on few values.
constexpr std::uint64_t spare_events = 20'000'000, events_per_value = 1'000, events_per_bin = 2'000;

void expect_sizes(Shape shape) {
  if (shape.n < 1 || shape.n > most_values || shape.bins < 1 || shape.bins > most_bins)
    throw std::logic_error("a histogram has from 1 to " + std::to_string(most_values) + " values and from 1 to " +
                           std::to_string(most_bins) + " bins");
}

int inside(Shape shape, judge::RandomStream& random) { return random.between(0, random.between(0, shape.bins - 1)); }

int outside(Shape shape, judge::RandomStream& random) {
  switch (random.between(0, 3)) {
    case 0: return -1;
    case 1: return shape.bins;
    case 2: return -random.between(2, most_bins);
    default: return shape.bins + random.between(1, most_bins);
  }
}

judge::Trial make_trial(Shape shape, std::string inputs, std::vector<double> values) {
  const auto n = static_cast<std::size_t>(shape.n), bins = static_cast<std::size_t>(shape.bins);
  std::vector<double> counts(bins);
  for (const double value : values) {
    if (value >= 0 && value < shape.bins) ++counts[static_cast<std::size_t>(value)];
  }
  judge::Expectation expected{.rows = 1, .columns = bins, .values = std::move(counts)};
  return {.shape = "n=" + std::to_string(n) + " bins=" + std::to_string(bins),
          .inputs = std::move(inputs),
          .operands = {judge::input("values", ElementType::i32, n, std::move(values)),
                       judge::zeroed("bins", ElementType::u32, std::move(expected)), judge::integer("n", shape.n),
                       judge::integer("bin_count", shape.bins)},
          .launch_arguments = {shape.n, shape.bins},
          .work_unit = "value",
          .work = n,
          .work_events = events_per_value * n + events_per_bin * bins,
          .spare_events = spare_events};
}

template <class Draw>
judge::Trial drawn(Shape shape, std::string inputs, Draw draw) {
  expect_sizes(shape);
  return make_trial(shape, std::move(inputs), judge::drawn_numbers(static_cast<std::size_t>(shape.n), draw));
}

[[maybe_unused]] const bool histogram_is_traced =
    judge::traces({.name = "histogram",
                   .sizes = {"n", "bins"},
                   .largest_side = 1024,
                   .largest_profiled_side = 1 << 20,
                   .usual_profiled_shape = "65536x256",
                   .make = [](const std::vector<int>& sizes, const std::string&, judge::RandomStream random) {
                     return exact_trial({.n = sizes.at(0), .bins = std::min(sizes.at(1), most_bins)}, random);
                   }});

}  // namespace

judge::Trial inside_trial(Shape shape, judge::RandomStream random) {
  return drawn(shape, "values inside", [&] { return inside(shape, random); });
}

judge::Trial exact_trial(Shape shape, judge::RandomStream random) {
  return drawn(shape, "values inside and outside",
               [&] { return random.between(0, 7) == 0 ? outside(shape, random) : inside(shape, random); });
}

judge::Trial far_trial(Shape shape, judge::RandomStream random) {
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  return drawn(shape, "values inside and far away",
               [&] { return random.between(0, 7) == 0 ? random.between(0, 1) == 0 ? least : most : inside(shape, random); });
}

judge::Trial one_value_trial(Shape shape, judge::RandomStream random) {
  expect_sizes(shape);
  const int value = random.between(0, shape.bins - 1);
  return drawn(shape, "one value", [&] { return value; });
}

judge::Trial private_trial(Shape shape, judge::RandomStream random) {
  if (shape.n < least_private_values || shape.bins < least_private_bins) throw std::logic_error("a thread could do it by itself");
  return exact_trial(shape, random);
}

std::string missed_privacy(Shape shape, const judge::Counters& counters) {
  expect_sizes(shape);
  const auto n = static_cast<std::uint64_t>(shape.n);
  const std::uint64_t word = sizeof(int), most_stores = (n + values_for_a_store - 1) / values_for_a_store;
  if (judge::fetched_bytes(counters) < word * n)  // throws if missing: our own error
    return "it loads less from global memory than `values` holds: where does it have the rest from?";
  if (std::string missed = judge::missed_spread(counters, most_words_of_a_counter, "Share the work among more threads."); !missed.empty())
    return missed;
  const std::uint64_t stores = (judge::stored_bytes(counters) + word - 1) / word;
  if (stores > most_stores)
    return "it changes global memory " + std::to_string(stores) + " times for " + std::to_string(n) + " values; at most once for every " +
           std::to_string(values_for_a_store) +
           " values earns these points. Let the threads of a block count together, and add the block's counts to `bins`.";
  // An atomic function loads as well. A sixteenth more: threads past the end may load a value that they do not use.
  if (judge::loaded_bytes(counters) > word * (n + n / 16 + most_stores))
    return "it loads values from global memory more often than needed: load each value once.";
  return {};
}

}  // namespace tilelab::histogram
