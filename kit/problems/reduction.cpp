#include "problems/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"
#include "judge/traced_problem.hpp"

namespace tilelab::reduction {
namespace {

constexpr int exact_sums = (1 << 24) - 1;  // the largest sum used; fp32 represents all whole numbers up to it
constexpr int largest_number = 1000;
constexpr int most_numbers = (1 << 21) - 1;
constexpr int most_close = 4096;  // for more numbers, one that is left out would be within the bound too often
constexpr int least_combined = 4096;

// Instrumented events that a launch may make before it counts as endless: a generous number for each element, and some for the
// idle threads of a large block on few numbers.
constexpr std::uint64_t spare_events = 20'000'000, events_per_element = 1'000;

std::size_t checked(int n) {
  if (n < 1 || n > most_numbers) throw std::logic_error("n is from 1 to " + std::to_string(most_numbers));
  return static_cast<std::size_t>(n);
}

judge::Trial make_trial(std::string inputs, std::vector<double> in, judge::Expectation sum) {
  const std::size_t n = in.size();
  return {.shape = "n=" + std::to_string(n),
          .inputs = std::move(inputs),
          .operands = {judge::input("in", ElementType::f32, n, std::move(in)), judge::zeroed("sum", ElementType::f32, std::move(sum)),
                       judge::integer("n", static_cast<int>(n))},
          .launch_arguments = {static_cast<int>(n)},
          .work_unit = "number",
          .work = n,
          .work_events = events_per_element * n,
          .spare_events = spare_events};
}

double sum_of(const std::vector<double>& in) {  // at most 2^21 numbers with 24 bits each: exact
  double sum = 0;
  for (const double one : in) sum += one;
  return sum;
}

judge::Trial exact(std::string inputs, std::vector<double> in) {
  judge::Expectation sum{.rows = 1, .columns = 1, .values = {sum_of(in)}};
  return make_trial(std::move(inputs), std::move(in), std::move(sum));
}

[[maybe_unused]] const bool reduction_is_traced =
    judge::traces({.name = "reduction",
                   .sizes = {"n"},
                   .largest_side = 1024,
                   .largest_profiled_side = 1 << 20,
                   .usual_profiled_shape = "65536",
                   .make = [](const std::vector<int>& sizes, const std::string&, judge::RandomStream random) {
                     return exact_trial(sizes.at(0), random);
                   }});

}  // namespace

judge::Trial exact_trial(int n, judge::RandomStream random) {
  const std::size_t count = checked(n);
  const int largest = std::min(largest_number, exact_sums / n);
  return exact("whole numbers", judge::drawn_numbers(count, [&] { return random.between(1, largest); }));
}

judge::Trial quarters_trial(int n, judge::RandomStream random) {
  const std::size_t count = checked(n);
  const int largest = std::min(largest_number, exact_sums / n);
  return exact("quarters", judge::drawn_numbers(count, [&] { return 0.25 * random.of_either_sign(largest); }));
}

judge::Trial close_trial(int n, judge::RandomStream random) {
  const std::size_t count = checked(n);
  if (n > most_close) throw std::logic_error("n is too large for this rule");
  std::vector<double> in = judge::drawn_numbers(count, [&] { return double{random.signed_unit()}; });
  double magnitudes = 0;
  for (const double one : in) magnitudes += std::abs(one);
  judge::Expectation sum{.rows = 1,
                         .columns = 1,
                         .values = {sum_of(in)},
                         .bounds = {4 * std::sqrt(static_cast<double>(n)) * 0x1p-24 * magnitudes},
                         .rule = "4·√n·u·Σ|x|, u = 2^-24"};
  return make_trial("signed random", std::move(in), std::move(sum));
}

judge::Trial combined_trial(int n, judge::RandomStream random) {
  if (n < least_combined) throw std::logic_error("there is too little to combine");
  return exact_trial(n, random);
}

std::string missed_combining(int size, const judge::Counters& counters) {
  const std::uint64_t n = checked(size), word = sizeof(float);
  const std::uint64_t most_stores = (n + numbers_for_a_store - 1) / numbers_for_a_store;
  if (judge::fetched_bytes(counters) < word * n)  // throws if missing: our own error
    return "it loads less from global memory than `in` holds: where does it have the rest from?";
  if (std::string missed = judge::missed_spread(counters, most_words_of_a_summand, "Share the work among more threads."); !missed.empty())
    return missed;
  if (std::string missed = judge::missed_phases(counters); !missed.empty()) return missed;
  const std::uint64_t stores = (counters.at("global_store_bytes") + counters.at("surface_store_bytes") + word - 1) / word;
  if (stores > most_stores)
    return "it changes global memory " + std::to_string(stores) + " times, once for every " + std::to_string(n / stores) +
           " numbers; at least " + std::to_string(numbers_for_a_store) +
           " earn these points. Let the threads of a block add up what they have, and one of them change `sum`.";
  // An atomic function loads as well. A sixteenth more: threads past the end may load a number that they do not use.
  if (judge::fetched_bytes(counters) > word * (n + n / 16 + most_stores))
    return "it loads numbers from global memory more often than needed: load each number of `in` once.";
  return {};
}

}  // namespace tilelab::reduction
