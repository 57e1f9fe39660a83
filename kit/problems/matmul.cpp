#include "problems/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"
#include "judge/traced_problem.hpp"

namespace tilelab::matmul {
namespace {

constexpr int largest_integer = 8;
constexpr int least_for_wide = 16;  // smaller matrices are followed by hand
constexpr int longest_exact = ((1 << 24) - 2 * largest_integer * (1 << 12)) / (largest_integer * largest_integer) - 1;
constexpr int least_for_non_finite = 4;
constexpr int longest_close = 257;  // for longer sums, products of TF32 precision would be within the bound

// Instrumented events that a launch may make. Naive and tiled kernels make 5 to 10 for each product. A large block on a tiny
// matrix makes up to some million more in idle threads. A block that sums up a single element makes some thousand for each
// element of C, even if K is small. A block of 128 × 256 elements makes 32,768 products for each k, even of a single element of C.
// An endless loop still ends within one or two seconds.
constexpr std::uint64_t spare_events = 40'000'000, spare_events_per_k = 250'000, events_per_element = 20'000, events_per_product = 50;

struct Sizes {
  std::size_t M, N, K;
  explicit Sizes(Shape shape) {
    if (shape.M < 1 || shape.N < 1 || shape.K < 1) throw std::logic_error("a shape's sides are at least 1");
    M = static_cast<std::size_t>(shape.M);
    N = static_cast<std::size_t>(shape.N);
    K = static_cast<std::size_t>(shape.K);
  }
  std::uint64_t products() const { return std::uint64_t{M} * N * K; }
};

// The product in fp64, with `of` applied to each element first. The inner loop runs along rows, which are contiguous in memory.
template <class Number, class Of>
std::vector<double> product(const std::vector<Number>& A, const std::vector<Number>& B, Sizes n, Of of) {
  std::vector<double> C(n.M * n.N, 0.0);
  for (std::size_t i = 0; i < n.M; ++i) {
    double* const row = &C[i * n.N];
    for (std::size_t k = 0; k < n.K; ++k) {
      const double a = of(A[i * n.K + k]);
      const Number* const b = &B[k * n.N];
      for (std::size_t j = 0; j < n.N; ++j) row[j] += a * of(b[j]);
    }
  }
  return C;
}

judge::Trial make_trial(Shape shape, std::string inputs, std::vector<float> A, std::vector<float> B, judge::Expectation C) {
  const Sizes n(shape);
  return {.shape = "M=" + std::to_string(shape.M) + " N=" + std::to_string(shape.N) + " K=" + std::to_string(shape.K),
          .inputs = std::move(inputs),
          .operands = {judge::input("A", n.K, A), judge::input("B", n.N, B), judge::output("C", std::move(C)), judge::integer("M", shape.M),
                       judge::integer("N", shape.N), judge::integer("K", shape.K)},
          .launch_arguments = {shape.M, shape.N, shape.K},
          .work_unit = "multiply-add",
          .work = n.products(),
          .oracle = [n](const auto& of) { return product(of[0].values, of[1].values, n, std::identity()); },
          .work_events = events_per_product * n.products() + events_per_element * n.M * n.N,
          .spare_events = spare_events + spare_events_per_k * n.K,
          .mistakes = &mistakes()};
}

struct Factors {
  std::vector<float> A, B;
};

Factors multiples_of(float unit, Shape shape, judge::RandomStream& random) {
  const Sizes n(shape);
  if (shape.K > longest_exact) throw std::logic_error("K is too large for exact sums");
  const auto multiple = [&] { return unit * static_cast<float>(random.of_either_sign(largest_integer)); };
  auto A = judge::drawn_numbers<float>(n.M * n.K, multiple);
  auto B = judge::drawn_numbers<float>(n.K * n.N, multiple);
  return {std::move(A), std::move(B)};
}

// A 12-bit number in each row of A, where k is even, and in each column of B, where k is odd: no half-precision, bfloat16 or TF32 number
// holds it, and no product has two.
void widen(Factors& in, Sizes n, judge::RandomStream& random) {
  const auto even = [&] { return 2 * static_cast<std::size_t>(random.between(0, static_cast<int>(n.K) / 2 - 1)); };
  const auto wide = [&] { return 2 * static_cast<float>(random.of_either_sign(2047, 1025)) + 1; };
  for (std::size_t i = 0; i < n.M; ++i) in.A[i * n.K + even()] = wide();
  for (std::size_t j = 0; j < n.N; ++j) in.B[(even() + 1) * n.N + j] = wide();
}

// Two different numbers from 1 to `length` - 1.
std::pair<std::size_t, std::size_t> two_of(int length, judge::RandomStream& random) {
  const int one = random.between(1, length - 1), other = random.between(1, length - 2);
  return {static_cast<std::size_t>(one), static_cast<std::size_t>(other < one ? other : other + 1)};
}

judge::Trial exact(Shape shape, std::string inputs, Factors in, bool non_finite) {
  const Sizes n(shape);
  judge::Expectation C{n.M, n.N, product(in.A, in.B, n, [](float x) { return double{x}; }), {}, non_finite};
  return make_trial(shape, std::move(inputs), std::move(in.A), std::move(in.B), std::move(C));
}

std::string percent(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

[[maybe_unused]] const bool product_is_traced =
    judge::traces({.name = "matmul",
                   .sizes = {"M", "N", "K"},
                   .largest_side = largest_worked,
                   .largest_profiled_side = 512,
                   .inputs = {"worked", "integers", "random"},
                   .factors = {"A", "B"},
                   .make = [](const std::vector<int>& sizes, const std::string& inputs, judge::RandomStream random) {
                     const Shape shape{.M = sizes.at(0), .N = sizes.at(1), .K = sizes.at(2)};
                     if (inputs == "worked") return worked_trial(shape);
                     return inputs == "integers" ? exact_trial(shape, random) : close_trial(shape, random);
                   }});

}  // namespace

judge::Trial exact_trial(Shape shape, judge::RandomStream random) {
  Factors in = multiples_of(1.0f, shape, random);
  if (shape.K < least_for_wide) return exact(shape, "small integers", std::move(in), false);
  widen(in, Sizes(shape), random);
  return exact(shape, "small integers, a few of 12 bits", std::move(in), false);
}

judge::Trial counted_trial(Shape shape, judge::RandomStream random) {
  judge::Trial trial = exact_trial(shape, random);
  trial.counts_traffic = true;
  return trial;
}

judge::Trial quarters_trial(Shape shape, judge::RandomStream random) {
  Factors in = multiples_of(0.25f, shape, random);
  return exact(shape, "quarters", std::move(in), false);
}

judge::Trial non_finite_trial(Shape shape, judge::RandomStream random) {
  if (shape.M < least_for_non_finite || shape.N < least_for_non_finite) throw std::logic_error("too few rows or columns stay finite");
  const Sizes n(shape);
  Factors in = multiples_of(1.0f, shape, random);
  const auto [nan_row, inf_row] = two_of(shape.M, random);
  const auto [nan_column, inf_column] = two_of(shape.N, random);
  // At both ends of a row or column: there another row's or column's element is used by mistake.
  for (const std::size_t k : {std::size_t{0}, n.K - 1}) {
    in.A[nan_row * n.K + k] = in.B[k * n.N + nan_column] = std::numeric_limits<float>::quiet_NaN();
    in.A[inf_row * n.K + k] = in.B[k * n.N + inf_column] = std::numeric_limits<float>::infinity();
  }
  return exact(shape, "small integers, Inf and NaN", std::move(in), true);
}

judge::Trial close_trial(Shape shape, judge::RandomStream random) {
  const Sizes n(shape);
  if (shape.K > longest_close) throw std::logic_error("K is too large for this rule");
  auto A = judge::drawn_numbers<float>(n.M * n.K, [&] { return random.signed_unit(); });
  auto B = judge::drawn_numbers<float>(n.K * n.N, [&] { return random.signed_unit(); });
  judge::Expectation C{n.M, n.N, product(A, B, n, [](float x) { return double{x}; }),
                       product(A, B, n, [](float x) { return std::abs(double{x}); })};
  const double factor = 4 * std::sqrt(static_cast<double>(n.K)) * 0x1p-24;
  for (double& bound : C.bounds) bound *= factor;
  return make_trial(shape, "signed random", std::move(A), std::move(B), std::move(C));
}

judge::Trial worked_trial(Shape shape) {
  const Sizes n(shape);
  if (std::max({shape.M, shape.N, shape.K}) > largest_worked) throw std::logic_error("a side is too long for exact sums");
  const auto element = [](std::size_t i, std::size_t k) { return static_cast<float>(4 * i + k % 4 + 1 + 16 * (k / 4)); };
  std::vector<float> A, B;
  for (std::size_t i = 0; i < n.M; ++i) {
    for (std::size_t k = 0; k < n.K; ++k) A.push_back(element(i, k));
  }
  for (std::size_t k = 0; k < n.K; ++k) {
    for (std::size_t j = 0; j < n.N; ++j) B.push_back(element(j, k));
  }
  return exact(shape, "worked example", {std::move(A), std::move(B)}, false);
}

void check_reuse(Shape shape, double fraction) { check_reuse({{shape}}, fraction); }

void check_reuse(const std::vector<std::vector<Shape>>& shapes, double fraction) {
  std::vector<Shape> all;
  for (const std::vector<Shape>& some : shapes) all.insert(all.end(), some.begin(), some.end());
  const int chosen = judge::bench().draw().between(0, static_cast<int>(all.size()) - 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    judge::check_technique(
        exact_trial(all[i], judge::bench().draw()),
        [&](const judge::Counters& counters) { return missed_reuse(all[i], fraction, counters); }, static_cast<int>(i) == chosen);
  }
}

std::string missed_reuse(Shape shape, double fraction, const judge::Counters& counters) {
  const Sizes n(shape);
  const double elements = static_cast<double>(n.M * n.K + n.K * n.N);
  const auto loaded = static_cast<double>(judge::loaded_bytes(counters));
  const double naive = 2.0 * sizeof(float) * static_cast<double>(n.products());
  if (static_cast<double>(judge::fetched_bytes(counters)) < sizeof(float) * elements) {  // throws if missing: our own error
    return "it loads less from global memory than A and B hold: where does it have the rest from?";
  }
  if (std::string missed = judge::missed_parallelism(counters); !missed.empty()) return missed;
  if (loaded <= fraction * naive) return {};
  return "it loads " + percent(loaded / naive) + " of the bytes that a naive kernel loads from global memory; at most " +
         percent(fraction) + " earns these points. On average it fetches each element of A and B " +
         std::to_string(std::lround(loaded / sizeof(float) / elements)) +
         " times: let the threads of a block fetch an element once and share it.";
}

std::vector<Shape> around(int side) {
  std::vector<Shape> shapes;
  for (int M = -1; M <= 1; ++M) {
    for (int N = -1; N <= 1; ++N) {
      const int K = (M + N + 3) % 3 - 1;  // a Latin square: each pair of values occurs once
      shapes.push_back({side + M, side + N, side + K});
    }
  }
  return shapes;
}

std::vector<Shape> random_shapes(int count, Shape least, Shape limit, int step) {
  judge::RandomStream random = judge::bench().draw();
  const auto side = [&](int shortest, int longest) { return step * random.between((shortest + step - 1) / step, longest / step); };
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const int M = side(least.M, limit.M), N = side(least.N, limit.N), K = side(least.K, limit.K);
    shapes.push_back({M, N, K});
  }
  return shapes;
}

std::vector<Shape> random_shapes(int count, Shape limit, int step) { return random_shapes(count, {}, limit, step); }

}  // namespace tilelab::matmul
