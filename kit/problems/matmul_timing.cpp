// How a matrix product is timed, and how a large C is checked in O(N²): by Freivalds' check (1977). For a random vector x, C·x
// must equal A·(B·x). With whole numbers all of this is exact, and the chance to miss a wrong C is 2^-16. With random numbers,
// the difference of each row has a bound, and some elements are computed in fp64.
#include <cmath>
#include <string>

#include "judge/timed_problem.hpp"
#include "protocol/timed_input.hpp"

namespace tilelab::matmul {
namespace {

constexpr int shown_elements = 5, sampled_elements = 64;
constexpr double unit_roundoff = 0x1p-24;

struct Sides {
  std::size_t M, N, K;
};

// The inputs of one round, made again.
struct Inputs {
  std::uint64_t A, B;
  bool whole;
  Sides n;
  Inputs(std::uint64_t seed, Sides sides)
      : A(timed_input::stream(seed, 0)), B(timed_input::stream(seed, 1)), whole(timed_input::is_whole(seed)), n(sides) {}
  double a(std::size_t i, std::size_t k) const { return timed_input::value(A, i * n.K + k, whole); }
  double b(std::size_t k, std::size_t j) const { return timed_input::value(B, k * n.N + j, whole); }
};

std::string element(std::size_t i, std::size_t j) { return "C[" + std::to_string(i) + "][" + std::to_string(j) + "]"; }

judge::SampledElement sampled(const Inputs& in, std::size_t i, std::size_t j, float actual) {
  double sum = 0;
  for (std::size_t k = 0; k < in.n.K; ++k) sum += in.a(i, k) * in.b(k, j);
  return judge::sampled_element(i, j, sum, actual);
}

struct Accuracy {
  double of_norms = 0;  // the ratio of two root mean squares: the errors, and the norms of row times column
  double relative = 0;  // likewise, the errors and the right values: about √K times as much, and without unit
  std::vector<judge::SampledElement> shown;
};

Accuracy accuracy(const Inputs& in, std::span<const float> C, judge::RandomStream& random) {
  Accuracy found;
  double errors = 0, norms = 0, values = 0;
  for (int s = 0; s < sampled_elements; ++s) {
    const auto i = static_cast<std::size_t>(random.bits() % in.n.M), j = static_cast<std::size_t>(random.bits() % in.n.N);
    const judge::SampledElement one = sampled(in, i, j, C[i * in.n.N + j]);
    double row = 0, column = 0;
    for (std::size_t k = 0; k < in.n.K; ++k) {
      row += in.a(i, k) * in.a(i, k);
      column += in.b(k, j) * in.b(k, j);
    }
    const double error = one.expected - static_cast<double>(one.actual);
    errors += error * error;
    norms += row * column;
    values += one.expected * one.expected;
    if (s < shown_elements) found.shown.push_back(one);
  }
  found.of_norms = std::sqrt(errors / norms);
  found.relative = std::sqrt(errors / values);
  return found;
}

// fp32 sums stay below 0.7·u (random walk of K roundings). At the sizes that are timed, products rounded to TF32 or half precision
// have 100·u and more.
std::string norm_fault(const Accuracy& found) {
  if (found.of_norms <= 4 * unit_roundoff) return {};
  return "sampled elements of C are " + std::to_string(found.of_norms / unit_roundoff) +
         " roundings of fp32 away from the product; at most 4 are allowed";
}

struct Freivalds {
  std::vector<double> expected;  // A·(B·x), one value for each row
  std::vector<double> bound;     // the allowed difference from C·x; 0 for whole numbers
};

Freivalds freivalds(const Inputs& in, const std::vector<double>& x) {
  std::vector<double> y(in.n.K, 0.0), magnitude(in.n.K, 0.0);
  for (std::size_t k = 0; k < in.n.K; ++k) {
    for (std::size_t j = 0; j < in.n.N; ++j) {
      const double product = in.b(k, j) * x[j];
      y[k] += product;
      magnitude[k] += std::abs(product);
    }
  }
  Freivalds result{std::vector<double>(in.n.M, 0.0), std::vector<double>(in.n.M, 0.0)};
  // The elementwise bound 4·√K·u·(|A||B|)ij, summed over a row. Errors of different elements are nearly independent, so a factor
  // 1/√N applies; another factor 4 is a safety margin.
  const double factor = 16 * std::sqrt(static_cast<double>(in.n.K) / static_cast<double>(in.n.N)) * unit_roundoff;
  for (std::size_t i = 0; i < in.n.M; ++i) {
    for (std::size_t k = 0; k < in.n.K; ++k) {
      const double a = in.a(i, k);
      result.expected[i] += a * y[k];
      if (!in.whole) result.bound[i] += std::abs(a) * magnitude[k] * factor;
    }
  }
  return result;
}

judge::Inspection inspect(Sides n, std::uint64_t seed, std::span<const float> C, judge::RandomStream random) {
  const Inputs in(seed, n);
  judge::Inspection inspection;
  const double largest = static_cast<double>(n.K) * timed_input::largest_whole * timed_input::largest_whole;
  std::vector<double> x(n.N);
  for (double& one : x) one = random.between(-(1 << 15), (1 << 15) - 1);
  const Freivalds check = freivalds(in, x);
  for (std::size_t i = 0; i < n.M && inspection.fault.empty(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n.N; ++j) {
      const double value = C[i * n.N + j];
      // The sum is exact only for whole numbers up to `largest`, and the right product has no other values. NaN fails both tests.
      const bool possible = in.whole ? std::abs(value) <= largest && value == std::trunc(value) : std::isfinite(value);
      if (!possible) {
        inspection.fault = std::isnan(value) ? element(i, j) + " was not written" : element(i, j) + " cannot be right";
        inspection.elements.push_back(sampled(in, i, j, C[i * n.N + j]));
        break;
      }
      sum += value * x[j];
    }
    if (inspection.fault.empty() && !(std::abs(sum - check.expected[i]) <= check.bound[i])) {
      inspection.fault = "row " + std::to_string(i) + " of C is wrong";
    }
  }
  if (in.whole) return inspection;
  const Accuracy found = accuracy(in, C, random);
  if (std::isfinite(found.relative)) inspection.relative_error = found.relative;
  if (!inspection.fault.empty()) return inspection;
  inspection.fault = norm_fault(found);
  inspection.elements = found.shown;
  return inspection;
}

judge::TimedWork work(const std::vector<int>& sizes) {
  const Sides n{static_cast<std::size_t>(sizes.at(0)), static_cast<std::size_t>(sizes.at(1)), static_cast<std::size_t>(sizes.at(2))};
  const double M = sizes[0], N = sizes[1], K = sizes[2];
  return {
      .shape = "M=" + std::to_string(n.M) + " N=" + std::to_string(n.N) + " K=" + std::to_string(n.K),
      .arguments = {judge::timed_buffer("A", protocol::Role::input, n.M, n.K), judge::timed_buffer("B", protocol::Role::input, n.K, n.N),
                    judge::timed_buffer("C", protocol::Role::output, n.M, n.N), judge::timed_size("M", sizes[0]),
                    judge::timed_size("N", sizes[1]), judge::timed_size("K", sizes[2])},
      .launch_arguments = sizes,
      .flops = 2 * M * N * K,
      .bytes = 4 * (M * K + K * N + M * N),
      .inspect = [n](std::uint64_t seed, std::span<const float> C, judge::RandomStream random) { return inspect(n, seed, C, random); }};
}

[[maybe_unused]] const bool registered = judge::times({.name = "matmul", .sizes = {"M", "N", "K"}, .make = work});

}  // namespace
}  // namespace tilelab::matmul
