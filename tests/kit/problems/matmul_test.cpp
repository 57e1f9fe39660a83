// The two rules of the matmul problem: honest fp32 passes in any order of summation, lower precision does not.
#include "problems/matmul.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "judge/bench.hpp"
#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::matmul;
using judge::RandomStream;
using judge::Trial;

namespace {

// How a kernel sums the products of one element of C.
using Sum = std::function<float(const std::vector<float>& a, const std::vector<float>& b)>;

float forwards(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

float backwards(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t k = a.size(); k-- > 0;) sum += a[k] * b[k];
  return sum;
}

float fused(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

float pairwise(const std::vector<float>& a, const std::vector<float>& b) {
  const std::function<float(std::size_t, std::size_t)> part = [&](std::size_t first, std::size_t end) -> float {
    if (end - first == 1) return a[first] * b[first];
    const std::size_t middle = (first + end) / 2;
    return part(first, middle) + part(middle, end);
  };
  return part(0, a.size());
}

float tiled(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t start = 0; start < a.size(); start += 16) {
    float piece = 0;
    for (std::size_t k = start; k < std::min(start + 16, a.size()); ++k) piece += a[k] * b[k];
    sum += piece;
  }
  return sum;
}

// The largest products first, so that partial sums are as large as possible.
float by_size(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> products;
  for (std::size_t k = 0; k < a.size(); ++k) products.push_back(a[k] * b[k]);
  std::sort(products.begin(), products.end());
  float sum = 0;
  for (const float product : products) sum += product;
  return sum;
}

// Keeps `bits` bits of the fraction, rounded to nearest, as TF32 (10) and bfloat16 (7) units do with their inputs.
float rounded(float value, int bits) {
  const std::uint32_t half = 1u << (22 - bits);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + half) & ~(2 * half - 1));
}

Sum less_precise(int bits) {
  return [bits](const std::vector<float>& a, const std::vector<float>& b) {
    float sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += rounded(a[k], bits) * rounded(b[k], bits);
    return sum;
  };
}

std::vector<double> multiply(const Trial& trial, const Sum& sum) {
  const auto &A = trial.operands.at(0), &B = trial.operands.at(1);
  const std::size_t K = A.columns, M = A.values.size() / K, N = B.columns;
  std::vector<double> C;
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < N; ++j) {
      const std::vector<float> a(A.values.begin() + static_cast<long>(i * K), A.values.begin() + static_cast<long>((i + 1) * K));
      std::vector<float> b;
      for (std::size_t k = 0; k < K; ++k) b.push_back(static_cast<float>(B.values[k * N + j]));
      C.push_back(sum(a, b));
    }
  }
  return C;
}

bool is_right(const Trial& trial, const std::vector<double>& C) { return !judge::compare(C, trial.operands.at(2).expectation, {}); }

const std::map<std::string, Sum> honest{{"forwards", forwards}, {"backwards", backwards}, {"fused", fused},
                                        {"pairwise", pairwise}, {"tiled", tiled},         {"by size", by_size}};

}  // namespace

TEST_CASE("honest fp32 passes both rules in any order of summation", "[matmul]") {
  const auto K = GENERATE(1, 2, 3, 16, 31, 100, 257);
  const auto seed = GENERATE(range(0u, 4u));
  const Shape shape{.M = 9, .N = 11, .K = K};
  const Trial exact = exact_trial(shape, RandomStream(seed)), close = close_trial(shape, RandomStream(seed));
  for (const auto& [name, sum] : honest) {
    CAPTURE(name, K, seed);
    CHECK(is_right(exact, multiply(exact, sum)));
    CHECK(is_right(close, multiply(close, sum)));
  }
}

TEST_CASE("honest fp32 keeps a wide distance from the bound", "[matmul]") {
  const Trial trial = close_trial({.M = 24, .N = 24, .K = 257}, RandomStream(5));
  const auto& expected = trial.operands.at(2).expectation;
  for (const auto& [name, sum] : honest) {
    CAPTURE(name);
    const auto C = multiply(trial, sum);
    double largest = 0;
    for (std::size_t i = 0; i < C.size(); ++i) largest = std::max(largest, std::abs(C[i] - expected.values[i]) / expected.bounds[i]);
    CHECK(largest < 0.25);
  }
}

TEST_CASE("TF32 and bfloat16 products fail the bound", "[matmul]") {
  const auto K = GENERATE(2, 64, 257);
  const auto bits = GENERATE(10, 7);
  const auto seed = GENERATE(range(0u, 4u));
  CAPTURE(K, bits, seed);
  const Trial trial = close_trial({.M = 5, .N = 6, .K = K}, RandomStream(seed));
  CHECK_FALSE(is_right(trial, multiply(trial, less_precise(bits))));
}

TEST_CASE("one product left out, doubled or taken from a neighbour fails either rule", "[matmul]") {
  const auto K = GENERATE(1, 2, 33, 257);
  const Shape shape{.M = 6, .N = 5, .K = K};
  const std::map<std::string, Sum> wrong{
      {"left out",
       [](auto a, auto b) {
         a.back() = 0;
         return forwards(a, b);
       }},
      {"doubled",
       [](auto a, auto b) {
         a.back() *= 2;
         return forwards(a, b);
       }},
      {"neighbour", [](auto a, auto b) { return forwards(a, b) + (a.size() > 1 ? a[0] * b[1] : 1.0f); }},
  };
  for (const Trial& trial : {exact_trial(shape, RandomStream(3)), close_trial(shape, RandomStream(3))}) {
    for (const auto& [name, sum] : wrong) {
      CAPTURE(name, K, trial.inputs);
      CHECK_FALSE(is_right(trial, multiply(trial, sum)));
    }
  }
}

TEST_CASE("small integers are whole, small and never zero", "[matmul]") {
  const Trial trial = exact_trial({.M = 40, .N = 40, .K = 15}, RandomStream(1));
  std::set<double> seen;
  for (const auto& operand : {trial.operands.at(0), trial.operands.at(1)}) seen.insert(operand.values.begin(), operand.values.end());
  CHECK(seen == std::set<double>{-8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("TF32 and bfloat16 fail the exact rule in every element, whichever input is rounded", "[matmul]") {
  const auto bits = GENERATE(10, 7);
  const auto K = GENERATE(16, 17, 257);
  const Trial trial = exact_trial({.M = 6, .N = 5, .K = K}, RandomStream(K));
  const Sum of_a = [bits](auto a, auto b) {
    for (float& x : a) x = rounded(x, bits);
    return forwards(a, b);
  };
  for (const Sum& sum : {of_a, Sum([&](auto a, auto b) { return of_a(b, a); })}) {
    const auto C = multiply(trial, sum);
    for (std::size_t i = 0; i < C.size(); ++i) CHECK(C[i] != trial.operands[2].expectation.values[i]);
  }
}

TEST_CASE("Inf and NaN lie in two rows of A and two columns of B, and every other element of C is finite", "[matmul]") {
  const Shape shape{.M = 6, .N = 7, .K = 5};
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const Trial trial = non_finite_trial(shape, RandomStream(seed));
    std::set<std::size_t> rows, columns;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t k = 0; k < 5; ++k) {
        if (!std::isfinite(trial.operands[0].values[i * 5 + k])) rows.insert(i);
      }
    }
    for (std::size_t k = 0; k < 5; ++k) {
      for (std::size_t j = 0; j < 7; ++j) {
        if (!std::isfinite(trial.operands[1].values[k * 7 + j])) columns.insert(j);
      }
    }
    CHECK(rows.size() == 2);
    CHECK(columns.size() == 2);
    CHECK_FALSE(rows.contains(0));
    CHECK_FALSE(columns.contains(0));
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 7; ++j) {
        CHECK(std::isfinite(trial.operands[2].expectation.values[i * 7 + j]) == !(rows.contains(i) || columns.contains(j)));
      }
    }
  }
}

TEST_CASE("quarters are not whole numbers, small and never zero", "[matmul]") {
  bool fraction = false;
  const Trial trial = quarters_trial({.M = 40, .N = 1, .K = 40}, RandomStream(5));
  for (const double value : trial.operands[0].values) {
    CHECK(4 * value == std::trunc(4 * value));
    CHECK((std::abs(value) >= 0.25f && std::abs(value) <= 2));
    fraction = fraction || value != std::trunc(value);
  }
  CHECK(fraction);
}

TEST_CASE("a product is never the one of an empty C, not even of a single element", "[matmul]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Trial trial = exact_trial({.M = 1, .N = 1, .K = 1}, RandomStream(seed));
    CHECK_FALSE(is_right(trial, {0.0f}));
  }
}

TEST_CASE("a shape the rules do not hold for is refused", "[matmul]") {
  CHECK_THROWS_AS(close_trial({.M = 1, .N = 1, .K = 258}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial({.M = 1, .N = 1, .K = 1 << 18}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial({.M = 0, .N = 1, .K = 1}, RandomStream(0)), std::logic_error);
}

TEST_CASE("a trial describes its arguments in the kernel's order", "[matmul]") {
  const Trial trial = exact_trial({.M = 2, .N = 3, .K = 4}, RandomStream(0));
  std::vector<std::tuple<std::string, std::size_t, int>> described;
  for (const auto& operand : trial.operands) described.emplace_back(operand.name, operand.columns, operand.number);
  CHECK(described == std::vector<std::tuple<std::string, std::size_t, int>>{
                         {"A", 4, 0}, {"B", 3, 0}, {"C", 3, 0}, {"M", 0, 2}, {"N", 0, 3}, {"K", 0, 4}});
  CHECK(trial.launch_arguments == std::vector{2, 3, 4});
  CHECK(trial.operands[0].values.size() == 8);
  CHECK(trial.operands[1].values.size() == 12);
  CHECK(trial.operands[2].expectation.rows == 2);
}

TEST_CASE("inputs follow from the seed alone, and differ with it", "[matmul]") {
  const Shape shape{.M = 3, .N = 3, .K = 3};
  const auto A = [&](std::uint64_t seed) { return exact_trial(shape, RandomStream(seed)).operands[0].values; };
  CHECK(A(1) == A(1));
  CHECK(A(1) != A(2));
}

TEST_CASE("shapes around a side bring any two of M, N and K together in every combination", "[matmul]") {
  std::set<std::pair<int, int>> rows_columns, rows_depth, columns_depth;
  for (const Shape& shape : around(16)) {
    for (const int side : {shape.M, shape.N, shape.K}) CHECK((side >= 15 && side <= 17));
    rows_columns.emplace(shape.M, shape.N);
    rows_depth.emplace(shape.M, shape.K);
    columns_depth.emplace(shape.N, shape.K);
  }
  CHECK(rows_columns.size() == 9);
  CHECK(rows_depth.size() == 9);
  CHECK(columns_depth.size() == 9);
}

TEST_CASE("random shapes stay within their limits and steps, and follow from seed and case", "[matmul]") {
  const auto drawn = [](std::uint64_t seed, const std::string& name, int step) {
    judge::Bench bench([](const Trial&) { return judge::LaunchRecord{}; }, judge::SecretKey::from_number(seed));
    judge::use_bench(&bench);
    bench.open_case(name, {});
    std::vector<std::tuple<int, int, int>> shapes;
    for (const Shape& shape : random_shapes(200, {.M = 96, .N = 64, .K = 32}, step)) shapes.emplace_back(shape.M, shape.N, shape.K);
    judge::use_bench(nullptr);
    return shapes;
  };
  std::set<int> rows, steps;
  for (const auto& [M, N, K] : drawn(1, "a", 1)) {
    rows.insert(M);
    CHECK((M >= 1 && M <= 96 && N >= 1 && N <= 64 && K >= 1 && K <= 32));
  }
  for (const auto& [M, N, K] : drawn(1, "a", 32)) {
    steps.insert(M);
    CHECK((N % 32 == 0 && K == 32));
  }
  CHECK(rows.size() > 60);
  CHECK(steps == std::set{32, 64, 96});
  CHECK(drawn(1, "a", 1) == drawn(1, "a", 1));
  CHECK(drawn(1, "a", 1) != drawn(2, "a", 1));
  CHECK(drawn(1, "a", 1) != drawn(1, "b", 1));
}

TEST_CASE("the reuse rule counts local memory, asks for work in many threads, and for every element to be loaded", "[matmul]") {
  const Shape shape{.M = 64, .N = 64, .K = 64};
  const judge::Counters tiled{{"global_load_bytes", 8 * 64 * 64 * 4},
                              {"local_load_bytes", 0},
                              {"texture_load_bytes", 0},
                              {"surface_load_bytes", 0},
                              {"constant_replays", 0},
                              {"most_elements_of_a_thread", 1},
                              {"most_words_of_a_thread", 6'400},
                              {"words_of_full_warps", 1},
                              {"words_of_all_threads", 409'600},
                              {"output_elements", 4'096}};
  const auto missed = [&](const std::string& counter, std::uint64_t count) {
    auto counters = tiled;
    counters[counter] = count;
    return missed_reuse(shape, 0.5, counters);
  };
  const std::uint64_t naive = std::uint64_t{8} * 64 * 64 * 64, least = std::uint64_t{8} * 64 * 64;
  CHECK(missed("local_load_bytes", 0).empty());
  CHECK(missed("global_load_bytes", naive / 2).empty());
  CHECK(missed("global_load_bytes", naive / 2 + 4).find("loads 50 %") != std::string::npos);
  CHECK(missed("local_load_bytes", naive).find("global memory") != std::string::npos);
  CHECK(missed("global_load_bytes", least).empty());
  CHECK(missed("global_load_bytes", least - 4).find("where does it have the rest") != std::string::npos);
  CHECK(missed("most_elements_of_a_thread", 65).find("more threads") != std::string::npos);
  CHECK(missed("most_words_of_a_thread", 9'600).empty());
  CHECK(missed("most_words_of_a_thread", 9'601).find("as much as 97 elements") != std::string::npos);
  CHECK_THROWS(missed_reuse(shape, 0.5, {}));
}
