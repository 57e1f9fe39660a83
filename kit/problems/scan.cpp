#include "problems/scan.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::scan {
namespace {

constexpr int largest_number = 1000, least_shared_out = 100'000;

// Instrumented events that a run may make before it counts as endless: a generous number for each element, and some for the idle threads
// of a large block on few numbers.
constexpr std::uint64_t spare_events = 20'000'000, events_per_element = 1'000;

int checked(int n) {
  if (n < 1 || n > most_numbers) throw std::logic_error("n is from 1 to " + std::to_string(most_numbers));
  return n;
}

judge::Trial drawn(int n, const std::string& inputs, int largest, judge::RandomStream& random) {
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> in(count), sums(count);
  double sum = 0;  // below 2^31: exact
  for (std::size_t i = 0; i < count; ++i) {
    const int magnitude = random.between(1, largest);
    in[i] = random.between(0, 3) == 0 ? -magnitude : magnitude;
    sums[i] = sum += in[i];
  }
  judge::Expectation expected{.rows = 1, .columns = count, .values = std::move(sums)};
  return {.shape = "n=" + std::to_string(n),
          .inputs = inputs,
          .operands = {judge::input("in", ElementType::i32, count, std::move(in)),
                       judge::output("out", ElementType::i32, std::move(expected)), judge::integer("n", n)},
          .launch_arguments = {n},
          .work_unit = "number",
          .work = count,
          .work_events = events_per_element * count,
          .spare_events = spare_events};
}

}  // namespace

judge::Trial exact_trial(int n, judge::RandomStream random) {
  return judge::with_altered([&] { return drawn(checked(n), "whole numbers", largest_number, random); });
}

judge::Trial large_trial(int n, judge::RandomStream random) {
  const int largest = std::numeric_limits<int>::max() / checked(n);
  return judge::with_altered([&] { return drawn(n, "large whole numbers", largest, random); });
}

judge::Trial shared_out_trial(int n, judge::RandomStream random) {
  if (n < least_shared_out) throw std::logic_error("a single block could do it");
  return exact_trial(n, random);
}

std::string missed_sharing(int size, const judge::Counters& counters) {
  const auto n = static_cast<std::uint64_t>(checked(size));
  const std::uint64_t word = sizeof(int);
  if (judge::fetched_bytes(counters) < word * n)  // throws if missing: our own error
    return "it loads less from global memory than `in` holds: where does it have the rest from?";
  if (std::string missed =
          judge::missed_spread(counters, most_words_of_a_thread, "Share the work among more threads and blocks.", most_words_of_a_turn);
      !missed.empty())
    return missed;
  if (const std::uint64_t block = counters.at("busiest_block_stores"); 2 * block > n)
    return "the busiest blocks of its launches, which run one after another, store " + std::to_string(block) +
           " numbers in global memory; at most one for every two of `in` earns these points. Share the work among the blocks of a launch.";
  const std::uint64_t words = (judge::loaded_bytes(counters) + judge::stored_bytes(counters)) / word;
  if (words > most_words_of_a_number * n)
    return "it loads and stores " + std::to_string(words) + " numbers in global memory for " + std::to_string(n) + " numbers; at most " +
           std::to_string(most_words_of_a_number) +
           " for each earn these points. Let the threads of a block work together in shared memory or in registers.";
  return {};
}

}  // namespace tilelab::scan
