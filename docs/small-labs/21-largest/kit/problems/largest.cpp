#include "problems/largest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::largest {
namespace {

// Instrumented events that a launch may make before it counts as endless.
constexpr std::uint64_t spare_events = 20'000'000, events_per_number = 2'000;

void check_each_place(const std::vector<int>& sizes, bool negative) {
  for (const int n : sizes) {
    for (const int at : {0, n / 2, n - 1}) judge::check(trial_with_largest_at(n, at, negative, judge::bench().draw()));
  }
}

}  // namespace

judge::Trial trial_with_largest_at(int n, int at, bool negative, judge::RandomStream random) {
  if (n < 1 || at < 0 || at >= n) throw std::logic_error("there is at least one number, and one of them is the largest");
  std::vector<double> in(static_cast<std::size_t>(n));
  for (double& value : in) value = random.between(-1'000'000, negative ? -2 : 1'000'000);
  in[static_cast<std::size_t>(at)] = negative ? -1 : 1'000'001;
  const double smallest = std::numeric_limits<int>::min(), largest = *std::ranges::max_element(in);
  return {.shape = "n=" + std::to_string(n),
          .inputs = negative ? "negative numbers" : "whole numbers",
          .operands = {judge::input("in", ElementType::i32, static_cast<std::size_t>(n), std::move(in)),
                       judge::inout("largest", ElementType::i32, {smallest}, {.rows = 1, .columns = 1, .values = {largest}}),
                       judge::integer("n", n)},
          .launch_arguments = {n},
          .work_unit = "number",
          .work = static_cast<std::uint64_t>(n),
          .work_events = events_per_number * static_cast<std::uint64_t>(n),
          .spare_events = spare_events};
}

void check_exact(const std::vector<int>& sizes) { check_each_place(sizes, false); }

void check_negative(const std::vector<int>& sizes) { check_each_place(sizes, true); }

std::vector<int> random_sizes(int count, int most) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<int> sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(random.between(1, most));
  return sizes;
}

}  // namespace tilelab::largest
