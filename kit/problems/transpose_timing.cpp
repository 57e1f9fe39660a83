// How a transpose is timed, traced and profiled. Every element of a timed output is compared, because that costs no more than reading it.
// It multiplies nothing, so a trace shows only loads and stores.
#include <cmath>
#include <string>

#include "judge/timed_problem.hpp"
#include "judge/traced_problem.hpp"
#include "problems/transpose.hpp"
#include "protocol/timed_input.hpp"

namespace tilelab::transpose {
namespace {

constexpr int shown_elements = 5;

judge::Inspection inspect(std::size_t M, std::size_t N, std::uint64_t seed, std::span<const float> out, judge::RandomStream random) {
  const std::uint64_t in = timed_input::stream(seed, 0);
  const bool whole = timed_input::is_whole(seed);
  const auto look = [&](std::size_t row, std::size_t column) {
    return judge::sampled_element(row, column, timed_input::value(in, column * N + row, whole), out[row * M + column]);
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
  return {.shape = "M=" + std::to_string(M) + " N=" + std::to_string(N),
          .arguments = {judge::timed_buffer("in", protocol::Role::input, M, N), judge::timed_buffer("out", protocol::Role::output, N, M),
                        judge::timed_size("M", sizes[0]), judge::timed_size("N", sizes[1])},
          .launch_arguments = sizes,
          .flops = 0,
          .bytes = 2.0 * sizeof(float) * static_cast<double>(M) * static_cast<double>(N),
          .inspect = [M, N](std::uint64_t seed, std::span<const float> out, judge::RandomStream random) {
            return inspect(M, N, seed, out, random);
          }};
}

[[maybe_unused]] const bool transpose_is_timed = judge::times({.name = "transpose", .sizes = {"M", "N"}, .make = work});
[[maybe_unused]] const bool transpose_is_traced =
    judge::traces({.name = "transpose",
                   .sizes = {"M", "N"},
                   .largest_side = 64,
                   .largest_profiled_side = 1024,
                   .make = [](const std::vector<int>& sizes, const std::string&, judge::RandomStream random) {
                     return exact_trial({.M = sizes.at(0), .N = sizes.at(1)}, random);
                   }});

}  // namespace
}  // namespace tilelab::transpose
