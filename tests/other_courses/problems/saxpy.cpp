#include "problems/saxpy.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "judge/bench.hpp"

namespace tilelab::saxpy {
namespace {

constexpr int largest = 1000;  // alpha·x + y stays below 2^24
constexpr std::uint64_t spare_events = 20'000'000, events_per_element = 1'000;

}  // namespace

judge::Trial exact_trial(int n, judge::RandomStream random) {
  const auto count = static_cast<std::size_t>(n);
  const int alpha = random.between(2, 9);
  std::vector<double> x(count), y(count), result(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = random.between(-largest, largest);
    y[i] = random.between(-largest, largest);
    result[i] = alpha * x[i] + y[i];
  }
  return {.shape = "n=" + std::to_string(n),
          .inputs = "whole numbers",
          .operands = {judge::input("x", ElementType::f32, count, std::move(x)), judge::input("y", ElementType::f32, count, std::move(y)),
                       judge::output("result", {.rows = 1, .columns = count, .values = std::move(result)}), judge::integer("n", n),
                       judge::scalar("alpha", ElementType::f32, alpha)},
          .launch_arguments = {},
          .work_unit = "element",
          .work = count,
          .work_events = events_per_element * count,
          .spare_events = spare_events};
}

void check_exact(const std::vector<int>& sizes) {
  for (const int n : sizes) judge::check(exact_trial(n, judge::bench().draw()));
}

std::vector<int> random_sizes(int count, int most) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<int> sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(random.between(1, most));
  return sizes;
}

}  // namespace tilelab::saxpy
