#include "problems/smooth.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::smooth {
namespace {

// Instrumented events that a launch may make before it counts as endless.
constexpr std::uint64_t spare_events = 20'000'000, events_per_element = 5'000;

}  // namespace

judge::Trial exact_trial(Shape shape, judge::RandomStream random) {
  if (shape.M < 1 || shape.N < 1) throw std::logic_error("a shape's sides are at least 1");
  const auto M = static_cast<std::size_t>(shape.M), N = static_cast<std::size_t>(shape.N);
  std::vector<double> in(M * N);
  for (double& value : in) value = random.between(1, 1 << 20);
  std::vector<double> out = in;  // edges stay
  for (std::size_t row = 1; row + 1 < M; ++row) {
    for (std::size_t column = 1; column + 1 < N; ++column) {
      const std::size_t at = row * N + column;
      out[at] = (in[at - N] + in[at + N] + in[at - 1] + in[at + 1]) / 4;
    }
  }
  return {.shape = "M=" + std::to_string(shape.M) + " N=" + std::to_string(shape.N),
          .inputs = "whole numbers",
          .operands = {judge::input("in", ElementType::f32, N, std::move(in)),
                       judge::output("out", ElementType::f32, {.rows = M, .columns = N, .values = std::move(out)}),
                       judge::integer("M", shape.M), judge::integer("N", shape.N)},
          .launch_arguments = {shape.M, shape.N},
          .work_unit = "element",
          .work = M * N,
          .work_events = events_per_element * M * N,
          .spare_events = spare_events};
}

void check_exact(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) judge::check(exact_trial(shape, judge::bench().draw()));
}

std::vector<Shape> random_shapes(int count, Shape limit) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const int M = random.between(1, limit.M), N = random.between(1, limit.N);
    shapes.push_back({M, N});
  }
  return shapes;
}

}  // namespace tilelab::smooth
