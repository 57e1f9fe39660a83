// How a transpose is timed. Every element of the output is compared, because that costs no more than reading it.
#include <cmath>
#include <string>

#include "judge/timed_problem.hpp"
#include "protocol/timed_input.hpp"

namespace tilelab::transpose {
namespace {

constexpr int shown_elements = 5;

judge::Inspection inspect(std::size_t M, std::size_t N, std::uint64_t seed, std::span<const float> out, judge::RandomStream random) {
  const std::uint64_t in = timed_input::stream(seed, 0);
  const bool whole = timed_input::is_whole(seed);
  const auto look = [&](std::size_t row, std::size_t column) {
    const double expected = timed_input::value(in, column * N + row, whole);
    const float actual = out[row * M + column];
    const double error = std::abs(static_cast<double>(actual) - expected);
    return judge::SampledElement{row, column, expected, actual, expected != 0 ? error / std::abs(expected) : error};
  };
  judge::Inspection inspection;
  double errors = 0, values = 0;
  for (int i = 0; i < shown_elements; ++i) {
    const auto row = static_cast<std::size_t>(random.bits() % N), column = static_cast<std::size_t>(random.bits() % M);
    inspection.elements.push_back(look(row, column));
    const judge::SampledElement& one = inspection.elements.back();
    errors += (one.expected - static_cast<double>(one.actual)) * (one.expected - static_cast<double>(one.actual));
    values += one.expected * one.expected;
  }
  if (const double ratio = std::sqrt(errors / values); !whole && std::isfinite(ratio)) inspection.relative_error = ratio;
  for (std::size_t i = 0; i < N * M; ++i) {
    if (out[i] == timed_input::value(in, i % M * N + i / M, whole)) continue;
    inspection.fault = "out[" + std::to_string(i / M) + "][" + std::to_string(i % M) + "] is wrong";
    inspection.elements = {look(i / M, i % M)};
    break;
  }
  return inspection;
}

judge::TimedWork work(const std::vector<int>& sizes) {
  const auto M = static_cast<std::size_t>(sizes.at(0)), N = static_cast<std::size_t>(sizes.at(1));
  const auto buffer = [&](const char* name, protocol::Role role, std::size_t columns) {
    return protocol::Argument{
        .name = name, .role = role, .element = "float", .bytes = M * N * sizeof(float), .bits = 0, .row_elements = columns};
  };
  const auto side = [](const char* name, int value) {
    return protocol::Argument{.name = name,
                              .role = protocol::Role::scalar,
                              .element = "int",
                              .bytes = 4,
                              .bits = static_cast<std::uint64_t>(value),
                              .row_elements = 0};
  };
  return {.shape = "M=" + std::to_string(M) + " N=" + std::to_string(N),
          .arguments = {buffer("in", protocol::Role::input, N), buffer("out", protocol::Role::output, M), side("M", sizes[0]),
                        side("N", sizes[1])},
          .launch_arguments = sizes,
          .flops = 0,
          .bytes = 2.0 * sizeof(float) * static_cast<double>(M) * static_cast<double>(N),
          .inspect = [M, N](std::uint64_t seed, std::span<const float> out, judge::RandomStream random) {
            return inspect(M, N, seed, out, random);
          }};
}

[[maybe_unused]] const bool registered = judge::times({.name = "transpose", .sizes = {"M", "N"}, .make = work});

}  // namespace
}  // namespace tilelab::transpose
