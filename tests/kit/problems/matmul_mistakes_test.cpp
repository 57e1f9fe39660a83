// Kernels with one mistake each, computed here in another way than by the hypotheses. Every mistake is recognised by its name, on
// the first shape that reveals it. A correct product and an unknown mistake get no explanation.

#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"
#include "judge/mistake.hpp"
#include "operands/operand.hpp"
#include "problems/matmul.hpp"

using namespace tilelab;
using namespace tilelab::matmul;

namespace {

using Index = std::size_t;

// A kernel on the host: it fills C from A and B, with a block of 16x16 threads.
struct Launch {
  const std::vector<float>&A, &B;
  std::vector<float>& C;
  Index M, N, K;
};
using Kernel = std::function<void(const Launch&)>;

constexpr std::uint32_t unwritten_bits = 0x7fc5'1e57;  // as content_before fills an fp32 output

protocol::LaunchConfig usual_config(Shape shape) {
  const auto blocks = [](int length) { return static_cast<unsigned>((length + 15) / 16); };
  return {{blocks(shape.N), blocks(shape.M), 1}, {16, 16, 1}, 0};
}

using Inputs = judge::Trial (*)(Shape, judge::RandomStream);

// The explanation given for a kernel that was right on `before`.
std::string said_of(const Kernel& kernel, Shape shape, const protocol::LaunchConfig& config, Inputs inputs = exact_trial) {
  judge::Evidence wrong{inputs(shape, judge::RandomStream(3)), config, {}};
  const auto& operands = wrong.trial.operands;
  const auto in = [&](std::size_t n) { return std::vector<float>(operands[n].values.begin(), operands[n].values.end()); };
  const std::vector<float> A = in(0), B = in(1);
  std::vector<float> C(operands[2].expectation.values.size(), std::bit_cast<float>(unwritten_bits));
  kernel({A, B, C, static_cast<Index>(shape.M), static_cast<Index>(shape.N), static_cast<Index>(shape.K)});
  wrong.got = judge::content_after(operands[2], std::as_bytes(std::span(C)), judge::Fill::telling);
  const auto found = judge::explain({}, wrong);
  return found ? found->mistake : "";
}

std::string said_of(const Kernel& kernel, Shape shape = {.M = 37, .N = 43, .K = 41}) { return said_of(kernel, shape, usual_config(shape)); }

// Every element of C from a function of its row and column.
template <class Element>
Kernel each(Element element) {
  return [element](const Launch& p) {
    for (Index i = 0; i < p.M; ++i) {
      for (Index j = 0; j < p.N; ++j) p.C[i * p.N + j] = element(p, i, j);
    }
  };
}

float dot(const Launch& p, Index i, Index j, Index first, Index end) {
  float sum = 0;
  for (Index k = first; k < end; ++k) sum += p.A[i * p.K + k] * p.B[k * p.N + j];
  return sum;
}

// The tiled algorithm with tiles of 16, as a block of threads executes it. `load` fills a tile's element; `left` is its old
// value.
using Tile = std::array<std::array<float, 16>, 16>;
Kernel tiled(const std::function<void(const Launch&, Tile& As, Tile& Bs, Index row, Index column, Index start)>& load) {
  return [load](const Launch& p) {
    for (Index row = 0; row < p.M; row += 16) {
      for (Index column = 0; column < p.N; column += 16) {
        Tile As{}, Bs{}, sums{};
        for (Index start = 0; start < p.K; start += 16) {
          load(p, As, Bs, row, column, start);
          for (Index y = 0; y < 16; ++y) {
            for (Index x = 0; x < 16; ++x) {
              for (Index k = 0; k < 16; ++k) sums[y][x] += As[y][k] * Bs[k][x];
            }
          }
        }
        for (Index y = 0; y < 16 && row + y < p.M; ++y) {
          for (Index x = 0; x < 16 && column + x < p.N; ++x) p.C[(row + y) * p.N + column + x] = sums[y][x];
        }
      }
    }
  };
}

float a_or_zero(const Launch& p, Index i, Index k) { return i < p.M && k < p.K ? p.A[i * p.K + k] : 0; }
float b_or_zero(const Launch& p, Index k, Index j) { return k < p.K && j < p.N ? p.B[k * p.N + j] : 0; }

Kernel tile_loads(const std::function<void(const Launch&, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start)>& one) {
  return tiled([one](const Launch& p, Tile& As, Tile& Bs, Index row, Index column, Index start) {
    for (Index y = 0; y < 16; ++y) {
      for (Index x = 0; x < 16; ++x) one(p, As, Bs, y, x, row + y, column + x, start);
    }
  });
}

// Columns up to `columns`, rows up to `rows`.
Kernel covering(std::function<Index(const Launch&)> rows, std::function<Index(const Launch&)> columns) {
  return [rows, columns](const Launch& p) {
    for (Index i = 0; i < std::min(p.M, rows(p)); ++i) {
      for (Index j = 0; j < std::min(p.N, columns(p)); ++j) p.C[i * p.N + j] = dot(p, i, j, 0, p.K);
    }
  };
}

float at(const std::vector<float>& values, Index index) { return index < values.size() ? values[index] : 1e9f; }

const Kernel correct = each([](const Launch& p, Index i, Index j) { return dot(p, i, j, 0, p.K); });

}  // namespace

TEST_CASE("each mistake of a naive kernel is recognised", "[mistakes]") {
  const std::map<std::string, Kernel> kernels{
      {"first-product-missing", each([](const Launch& p, Index i, Index j) { return dot(p, i, j, 1, p.K); })},
      {"last-products-missing", each([](const Launch& p, Index i, Index j) { return dot(p, i, j, 0, p.K - 1); })},
      {"not-accumulated", each([](const Launch& p, Index i, Index j) { return p.A[i * p.K + p.K - 1] * p.B[(p.K - 1) * p.N + j]; })},
      {"a-transposed", each([](const Launch& p, Index i, Index j) {
         float sum = 0;
         for (Index k = 0; k < p.K; ++k) sum += p.A[k * p.M + i] * p.B[k * p.N + j];
         return sum;
       })},
      {"b-transposed", each([](const Launch& p, Index i, Index j) {
         float sum = 0;
         for (Index k = 0; k < p.K; ++k) sum += p.A[i * p.K + k] * p.B[j * p.K + k];
         return sum;
       })},
      {"a-row-length", each([](const Launch& p, Index i, Index j) {
         float sum = 0;
         for (Index k = 0; k < p.K; ++k) sum += at(p.A, i * p.M + k) * p.B[k * p.N + j];
         return sum;
       })},
      {"b-row-length", each([](const Launch& p, Index i, Index j) {
         float sum = 0;
         for (Index k = 0; k < p.K; ++k) sum += p.A[i * p.K + k] * at(p.B, k * p.K + j);
         return sum;
       })},
      {"c-transposed",
       [](const Launch& p) {
         for (Index i = 0; i < p.M; ++i) {
           for (Index j = 0; j < p.N; ++j) p.C[j * p.M + i] = dot(p, i, j, 0, p.K);
         }
       }},
  };
  for (const auto& [name, kernel] : kernels) CHECK(said_of(kernel) == name);
}

TEST_CASE("rows of C that are taken to be longer are recognised", "[mistakes]") {
  const Kernel kernel = [](const Launch& p) {
    for (Index i = 0; i < p.M; ++i) {
      for (Index j = 0; j < p.N; ++j) {
        if (i * p.K + j < p.C.size()) p.C[i * p.K + j] = dot(p, i, j, 0, p.K);
      }
    }
  };
  CHECK(said_of(kernel, {.M = 21, .N = 30, .K = 40}) == "c-row-length");
}

TEST_CASE("one size for all three is recognised, and that it is not seen on square matrices", "[mistakes]") {
  const Kernel kernel = [](const Launch& p) {
    const Index n = p.N;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        float sum = 0;
        for (Index k = 0; k < n; ++k) sum += at(p.A, i * n + k) * at(p.B, k * n + j);
        if (i * n + j < p.C.size()) p.C[i * n + j] = sum;
      }
    }
  };
  CHECK(said_of(kernel, {.M = 40, .N = 20, .K = 33}) == "square-only");
  CHECK(said_of(kernel, {.M = 20, .N = 20, .K = 20}).empty());
}

TEST_CASE("each mistake of a tiled kernel is recognised", "[mistakes]") {
  const std::map<std::string, Kernel> kernels{
      {"last-products-missing", each([](const Launch& p, Index i, Index j) { return dot(p, i, j, 0, p.K / 16 * 16); })},
      {"not-accumulated", each([](const Launch& p, Index i, Index j) { return dot(p, i, j, (p.K - 1) / 16 * 16, p.K); })},
      {"a-transposed", tile_loads([](const Launch& p, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start) {
         As[x][y] = a_or_zero(p, i, start + x);
         Bs[y][x] = b_or_zero(p, start + y, j);
       })},
      {"b-transposed", tile_loads([](const Launch& p, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start) {
         As[y][x] = a_or_zero(p, i, start + x);
         Bs[x][y] = b_or_zero(p, start + y, j);
       })},
      {"tiles-transposed", tile_loads([](const Launch& p, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start) {
         As[x][y] = a_or_zero(p, i, start + x);
         Bs[x][y] = b_or_zero(p, start + y, j);
       })},
      {"stale-tile", tile_loads([](const Launch& p, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start) {
         if (i < p.M && start + x < p.K) As[y][x] = p.A[i * p.K + start + x];
         if (start + y < p.K && j < p.N) Bs[y][x] = p.B[(start + y) * p.N + j];
       })},
      {"edge-repeated", tile_loads([](const Launch& p, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start) {
         As[y][x] = p.A[std::min(i, p.M - 1) * p.K + std::min(start + x, p.K - 1)];
         Bs[y][x] = p.B[std::min(start + y, p.K - 1) * p.N + std::min(j, p.N - 1)];
       })},
  };
  for (const auto& [name, kernel] : kernels) CHECK(said_of(kernel) == name);
}

TEST_CASE("what a grid leaves out is recognised by the grid that was launched", "[mistakes]") {
  const auto length = [](Index blocks) { return [blocks](const Launch&) { return 16 * blocks; }; };
  const Shape tall{.M = 65, .N = 20, .K = 5};
  CHECK(said_of(covering(length(2), length(5)), tall, {{5, 2, 1}, {16, 16, 1}, 0}) == "grid-axes-swapped");
  CHECK(said_of(covering(length(2), length(5)), tall, {{2, 5, 1}, {16, 16, 1}, 0}) == "grid-axes-swapped");
  CHECK(said_of(covering(length(4), length(1)), tall, {{1, 4, 1}, {16, 16, 1}, 0}) == "edge-unwritten");
  CHECK(said_of(covering(length(5), [](const Launch& p) { return p.N - 1; }), tall, {{2, 5, 1}, {16, 16, 1}, 0}) == "edge-unwritten");
}

TEST_CASE("threads of a swapped grid that overwrite each other's elements are not taken for one size used for all three", "[mistakes]") {
  const Kernel kernel = [](const Launch& p) {
    for (Index i = 0; i < p.N; ++i) {
      for (Index j = 0; j < p.M; ++j) {
        float sum = 0;
        for (Index k = 0; k < p.K; ++k) sum += at(p.A, i * p.K + k) * at(p.B, k * p.N + j);
        if (i * p.N + j < p.C.size()) p.C[i * p.N + j] = sum;
      }
    }
  };
  for (const unsigned blocks : {18u, 20u}) {
    const Shape shape{.M = static_cast<int>(16 * blocks), .N = 32, .K = 64};
    CHECK(said_of(kernel, shape, {{2, blocks, 1}, {16, 16, 1}, 0}).empty());
  }
}

TEST_CASE("less precision than a float's is recognised where numbers have digits to lose", "[mistakes]") {
  const auto cut = [](float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff'0000u); };
  const Kernel kernel = each([cut](const Launch& p, Index i, Index j) {
    float sum = 0;
    for (Index k = 0; k < p.K; ++k) sum += cut(p.A[i * p.K + k]) * cut(p.B[k * p.N + j]);
    return sum;
  });
  const Shape shape{.M = 19, .N = 35, .K = 100};
  CHECK(said_of(kernel, shape, usual_config(shape), close_trial) == "low-precision");
}

TEST_CASE("a sum or products kept as whole numbers are recognised on fractions", "[mistakes]") {
  const Kernel sums = each([](const Launch& p, Index i, Index j) {
    int sum = 0;
    for (Index k = 0; k < p.K; ++k) sum = static_cast<int>(static_cast<float>(sum) + p.A[i * p.K + k] * p.B[k * p.N + j]);
    return static_cast<float>(sum);
  });
  const Kernel products = each([](const Launch& p, Index i, Index j) {
    int sum = 0;
    for (Index k = 0; k < p.K; ++k) sum += static_cast<int>(p.A[i * p.K + k] * p.B[k * p.N + j]);
    return static_cast<float>(sum);
  });
  const Kernel stores = each([](const Launch& p, Index i, Index j) { return std::trunc(dot(p, i, j, 0, p.K)); });
  const Shape shape{.M = 19, .N = 35, .K = 40};
  for (const Kernel& kernel : {sums, products, stores}) {
    CHECK(said_of(kernel, shape, usual_config(shape), quarters_trial) == "whole-number-sum");
    CHECK(said_of(kernel, shape, usual_config(shape), exact_trial).empty());
  }
}

TEST_CASE("elements of the next row that zeros do not hide are recognised", "[mistakes]") {
  const auto loads = [](auto a_element) {
    return tile_loads([a_element](const Launch& p, Tile& As, Tile& Bs, Index y, Index x, Index i, Index j, Index start) {
      As[y][x] = a_element(p, i, start + x);
      Bs[y][x] = b_or_zero(p, start + y, j);
    });
  };
  const Kernel flat = loads([](const Launch& p, Index i, Index k) { return i * p.K + k < p.A.size() ? p.A[i * p.K + k] : 0.0f; });
  const Kernel own = loads([](const Launch& p, Index i, Index k) { return i < p.M ? p.A[i * p.K + std::min(k, p.K - 1)] : 0.0f; });
  for (const Shape shape : {Shape{.M = 33, .N = 20, .K = 17}, Shape{.M = 12, .N = 9, .K = 5}}) {
    CHECK(said_of(flat, shape, usual_config(shape), non_finite_trial) == "next-row-used");
    CHECK(said_of(own, shape, usual_config(shape), non_finite_trial).empty());
    CHECK(said_of(correct, shape, usual_config(shape), non_finite_trial).empty());
  }
}

TEST_CASE("a correct product, a mistake nobody knows and noise are not explained", "[mistakes]") {
  CHECK(said_of(correct).empty());
  CHECK(said_of(each([](const Launch& p, Index i, Index j) { return dot(p, i, j, 0, p.K) + static_cast<float>(i % 2); })).empty());
  CHECK(said_of(each([](const Launch&, Index i, Index j) { return static_cast<float>((i * 7919 + j * 104729) % 997); })).empty());
  CHECK(said_of(each([](const Launch&, Index, Index) { return 0.0f; })).empty());
}

TEST_CASE("a launch configuration of any size is harmless", "[mistakes]") {
  const protocol::LaunchConfig huge{{0xffff'ffff, 0xffff'ffff, 1}, {0xffff'ffff, 0xffff'ffff, 1}, 0}, none{{0, 0, 0}, {0, 0, 0}, 0};
  const Kernel kernel = each([](const Launch& p, Index i, Index j) { return dot(p, i, j, 1, p.K); });
  for (const auto& config : {huge, none}) CHECK(said_of(kernel, {.M = 9, .N = 8, .K = 7}, config) == "first-product-missing");
}

TEST_CASE("every mistake has a name of its own, a sentence and advice, and none holds a number", "[mistakes]") {
  std::set<std::string> names;
  for (const judge::Mistake& mistake : mistakes()) {
    CAPTURE(mistake.name);
    CHECK(names.insert(mistake.name).second);
    CHECK(mistake.sentence.ends_with('.'));
    CHECK_FALSE(mistake.advice.empty());
    for (const char c : mistake.sentence + mistake.advice) CHECK_FALSE(std::isdigit(static_cast<unsigned char>(c)));
  }
}
