// Any kernel with one output, and mistakes that show in the output alone: each is named without a word from the problem.
#include "judge/mistake.hpp"

#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"
#include "judge/random_stream.hpp"
#include "operands/operand.hpp"

using namespace tilelab;
using namespace tilelab::judge;

namespace {

const double hole = unwritten_value();
constexpr protocol::LaunchConfig config{{3, 3, 1}, {16, 16, 1}, 0};

struct Shape {
  std::size_t rows, columns;
};

// out = a blur of `in`, as a stencil computes it: the sum of an element and its four neighbours, those outside left out.
struct Stencil {
  Shape shape;
  std::vector<float> in, out;

  explicit Stencil(Shape shape) : shape(shape) {
    RandomStream random(7);
    for (std::size_t i = 0; i < shape.rows * shape.columns; ++i) in.push_back(static_cast<float>(random.between(1, 4000)) / 4);
    for (std::size_t i = 0; i < shape.rows; ++i) {
      for (std::size_t j = 0; j < shape.columns; ++j) {
        out.push_back(element(i, j) + element(i - 1, j) + element(i + 1, j) + element(i, j - 1) + element(i, j + 1));
      }
    }
  }

  float element(std::size_t i, std::size_t j) const { return i < shape.rows && j < shape.columns ? in[i * shape.columns + j] : 0; }
  float right(std::size_t i, std::size_t j) const { return i < shape.rows && j < shape.columns ? out[i * shape.columns + j] : 12345; }

  Trial trial() const {
    Trial trial;
    trial.operands = {input("in", shape.columns, in),
                      output("out", {shape.rows, shape.columns, std::vector<double>(out.begin(), out.end()), {}}),
                      integer("rows", static_cast<int>(shape.rows)), integer("pitch", 50)};
    return trial;
  }
};

using Element = std::function<double(const Stencil&, std::size_t i, std::size_t j)>;

std::vector<double> got_of(const Stencil& stencil, const Element& element) {
  std::vector<double> got;
  for (std::size_t i = 0; i < stencil.shape.rows; ++i) {
    for (std::size_t j = 0; j < stencil.shape.columns; ++j) got.push_back(element(stencil, i, j));
  }
  return got;
}

std::string said_of(const Element& element, Shape shape = {37, 43}) {
  const Stencil stencil(shape);
  const auto found = explain({}, {stencil.trial(), config, got_of(stencil, element)});
  return found ? found->mistake : "";
}

}  // namespace

TEST_CASE("mistakes of a kernel that the judge knows nothing of are named", "[generic]") {
  const std::map<std::string, Element> kernels{
      {"output-shifted", [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j + 1); }},
      {"output-reversed", [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, s.shape.columns - 1 - j); }},
      {"output-scaled", [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) / 5; }},
      {"output-offset", [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) + 1; }},
      {"output-whole-numbers", [](const Stencil& s, std::size_t i, std::size_t j) { return std::trunc(s.right(i, j)); }},
      {"input-copied", [](const Stencil& s, std::size_t i, std::size_t j) { return s.element(i, j); }},
      {"neighbour-missing", [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) - s.element(i, j + 1); }},
      {"neighbour-twice", [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) + s.element(i - 1, j); }},
      {"part-unwritten", [](const Stencil& s, std::size_t i, std::size_t j) { return i < 32 ? s.right(i, j) : hole; }},
      {"output-row-length",
       [](const Stencil& s, std::size_t i, std::size_t j) {
         const std::size_t at = i * s.shape.columns + j;
         return at % 50 < s.shape.columns ? s.right(at / 50, at % 50) : hole;
       }},
  };
  for (const auto& [name, kernel] : kernels) CHECK(said_of(kernel) == name);
}

TEST_CASE("exchanged rows and columns are named, of the whole output and of its tiles", "[generic]") {
  CHECK(said_of([](const Stencil& s, std::size_t i, std::size_t j) { return s.right(j, i); }, {32, 32}) == "output-transposed");
  const Element stored = [](const Stencil& s, std::size_t i, std::size_t j) {
    const std::size_t at = i * s.shape.columns + j;
    return s.right(at % s.shape.rows, at / s.shape.rows);
  };
  CHECK(said_of(stored) == "output-transposed");
  const Element turned = [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i / 16 * 16 + j % 16, j / 16 * 16 + i % 16); };
  CHECK(said_of(turned, {32, 48}) == "tiles-exchanged");
}

TEST_CASE("parts that the grid, one block or a bound leaves out are named", "[generic]") {
  const std::vector<std::function<bool(std::size_t i, std::size_t j)>> covered{
      [](std::size_t i, std::size_t j) { return i < 32 && j < 32; }, [](std::size_t i, std::size_t j) { return i < 16 && j < 16; },
      [](std::size_t i, std::size_t) { return i + 1 < 37; }, [](std::size_t, std::size_t j) { return j > 0; },
      [](std::size_t, std::size_t j) { return j < 16; }};
  for (const auto& holds : covered) {
    CHECK(said_of([&](const Stencil& s, std::size_t i, std::size_t j) { return holds(i, j) ? s.right(i, j) : hole; }) == "part-unwritten");
  }
}

TEST_CASE("a right output, noise, one wrong element and a constant are not explained", "[generic]") {
  CHECK(said_of([](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j); }).empty());
  CHECK(said_of([](const Stencil&, std::size_t i, std::size_t j) { return static_cast<float>((i * 7919 + j * 104729) % 997); }).empty());
  CHECK(said_of([](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) + (i == 3 && j == 4 ? 1 : 0); }).empty());
  CHECK(said_of([](const Stencil&, std::size_t, std::size_t) { return 0.0f; }).empty());
  CHECK(said_of([](const Stencil&, std::size_t, std::size_t) { return std::numeric_limits<float>::quiet_NaN(); }).empty());
  CHECK(said_of([](const Stencil&, std::size_t, std::size_t) { return hole; }).empty());
}

TEST_CASE("sums of integers that pass through a float are not taken for values that are cut off, scaled or shifted", "[generic]") {
  std::vector<double> sums;
  judge::Expectation right{.rows = 1, .columns = 100, .values = {}};
  for (int i = 0; i < 100; ++i) {
    right.values.push_back(20'000'001.0 + 1'000'003.0 * i);
    sums.push_back(static_cast<double>(static_cast<float>(right.values.back())));
  }
  const Trial trial{
      .shape = "n=100", .inputs = "large numbers", .operands = {judge::output("out", ElementType::i32, right)}, .launch_arguments = {}};
  CHECK_FALSE(explain({}, {trial, config, sums}));
}

TEST_CASE("a factor is told where independent rows share it, and not where a rounding gives it", "[generic]") {
  constexpr double bound = 3e-5;  // of softmax's rows of 9973 elements
  const auto said = [](std::vector<double> factors, std::vector<Operand> arguments = {}) {
    constexpr std::size_t columns = 200;
    Expectation right{.rows = factors.size(), .columns = columns, .values = {}, .bounds = {}};
    std::vector<double> got;
    RandomStream random(7);
    for (const double factor : factors) {
      for (std::size_t j = 0; j < columns; ++j) {
        right.values.push_back(random.between(1, 1'000'000));
        right.bounds.push_back(bound * right.values.back());
        got.push_back(factor * right.values.back());
      }
    }
    Trial trial;
    trial.operands = {output("out", right)};
    trial.operands.insert(trial.operands.end(), arguments.begin(), arguments.end());
    const auto found = explain({}, {trial, config, got});
    return found ? found->mistake : "";
  };
  CHECK(said({1 + 4e-5, 1 + 6e-5}).empty());               // sums of 11 bits that err alike
  CHECK(said({1 + 4e-5, 1, 1, 1 + 4e-5}).empty());         // and some that are just right
  CHECK(said(std::vector<double>(40, 1 + 5e-3)).empty());  // all sums are rounded down
  CHECK(said({1.4, 1.4}).empty());                         // a wrong sum, and another
  CHECK(said({1.4}, {integer("rows", 1), integer("columns", 200)}).empty());
  CHECK(said({1.4}, {integer("n", 200)}) == "output-scaled");
  CHECK(said({1.4, 1.4, 1.4}) == "output-scaled");
  CHECK(said({1.4 * (1 + bound), 1.4, 1.4 * (1 - bound)}) == "output-scaled");  // each is within its bound
  CHECK(said({1.4, 1.4, 1.4 * (1 + 4 * bound)}).empty());
  const Element offset = [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) + 1; };
  CHECK(said_of(offset, {2, 43}).empty());
  CHECK(said_of(offset, {3, 43}) == "output-offset");
}

TEST_CASE("a launch that was right refutes a mistake that would have spoilt it", "[generic]") {
  const Stencil small({20, 20}), large({37, 43});
  const Element halved = [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) / 2; };
  CHECK_FALSE(explain({{small.trial(), config, {}}}, {large.trial(), config, got_of(large, halved)}));
}

TEST_CASE("a generic mistake has a name of its own, a sentence and advice, and none holds a number", "[generic]") {
  const Stencil stencil({20, 30});
  std::set<std::string> names;
  for (const Mistake& mistake : generic_mistakes(stencil.trial(), {stencil.in.begin(), stencil.in.end()})) {
    CHECK(names.insert(mistake.name).second);
    CHECK(mistake.sentence.ends_with('.'));
    CHECK_FALSE(mistake.advice.empty());
    for (const char c : mistake.sentence + mistake.advice) CHECK_FALSE(std::isdigit(static_cast<unsigned char>(c)));
  }
  CHECK(names.size() == 12);
}

TEST_CASE("a launch of any size and an output without elements are harmless", "[generic]") {
  const Stencil stencil({9, 8});
  const std::vector<double> got = got_of(stencil, [](const Stencil& s, std::size_t i, std::size_t j) { return s.right(i, j) * 3; });
  for (const unsigned any : {0u, 1u, 0xffff'ffffu}) {
    const auto found = explain({}, {stencil.trial(), {{any, any, any}, {any, any, any}, 0}, got});
    REQUIRE(found);
    CHECK(found->mistake == "output-scaled");
  }
}

TEST_CASE("an input that keeps its rows and columns is a copy, also where the output's rows have another length", "[generic]") {
  RandomStream random(7);
  for (const Shape shape : {Shape{20, 22}, Shape{22, 20}, Shape{20, 20}}) {
    std::vector<float> in;
    for (std::size_t i = 0; i < shape.rows * shape.columns; ++i) in.push_back(static_cast<float>(random.between(1, 4000)));
    std::vector<double> turned, got;
    for (std::size_t i = 0; i < shape.columns; ++i) {
      for (std::size_t j = 0; j < shape.rows; ++j) {
        turned.push_back(in[j * shape.columns + i]);
        got.push_back(i < shape.rows && j < shape.columns ? in[i * shape.columns + j] : 0);
      }
    }
    Trial trial;
    trial.operands = {input("in", shape.columns, in), output("out", {shape.columns, shape.rows, turned, {}})};
    const auto found = explain({}, {trial, config, got});
    REQUIRE(found);
    CHECK(found->mistake == "input-copied");
  }
}
