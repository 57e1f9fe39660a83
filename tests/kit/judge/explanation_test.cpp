// An explanation is given if exactly one mistake reproduces a wrong output and the launches that were right.
#include "judge/mistake.hpp"

#include <limits>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"
#include "operands/operand.hpp"

using namespace tilelab;
using namespace tilelab::judge;

namespace {

using State = Guess::State;

const double hole = unwritten_value();

// A mistake that replaces each expected element by `change` of it.
Mistake mistake(const std::string& name, const std::function<Guess(double right, std::size_t column)>& change) {
  return {name, "sentence of " + name, "advice of " + name, {[change](const Trial& trial, const protocol::LaunchConfig&) {
            return [change, &trial](std::size_t row, std::size_t column) {
              const Expectation& expected = trial.operands[0].expectation;
              return change(expected.values[row * expected.columns + column], column);
            };
          }}};
}

const Mistake doubled = mistake("doubled", [](double right, std::size_t) { return Guess{State::value, 2 * right, 0}; });
const Mistake doubled_past_three =
    mistake("doubled-past-three", [](double right, std::size_t) { return Guess{State::value, right > 3 ? 2 * right : right, 0}; });
const Mistake last_unwritten = mistake("last-unwritten", [](double right, std::size_t column) {
  return column == 3 ? Guess{State::unwritten, 0, 0} : Guess{State::value, right, 0};
});
const Mistake known_in_the_first_column_alone =
    mistake("first-known", [](double right, std::size_t column) { return column == 0 ? Guess{State::value, 2 * right, 0} : Guess{}; });

Evidence launch(const std::vector<double>& expected, std::vector<double> got, const std::vector<Mistake>& mistakes) {
  Evidence evidence;
  evidence.trial.operands = {output("C", {1, expected.size(), expected, {}})};
  evidence.trial.mistakes = &mistakes;
  evidence.got = std::move(got);
  return evidence;
}

std::string explained(const std::vector<Mistake>& mistakes, const std::vector<double>& expected, std::vector<double> got,
                      const std::vector<std::vector<double>>& right_before = {}) {
  std::vector<Evidence> earlier;
  for (const auto& values : right_before) earlier.push_back(launch(values, {}, mistakes));
  const auto found = explain(earlier, launch(expected, std::move(got), mistakes));
  return found ? found->mistake : "";
}

}  // namespace

TEST_CASE("the mistake that gives the very output is named, with its words", "[explanation]") {
  const std::vector<Mistake> known{last_unwritten, doubled};
  const auto found = explain({}, launch({1, 2, 3, 4}, {2, 4, 6, 8}, known));
  REQUIRE(found);
  CHECK(found->mistake == "doubled");
  CHECK(found->sentence == "sentence of doubled");
  CHECK(found->advice == "advice of doubled");
}

TEST_CASE("one element that the mistake does not give is enough to say nothing", "[explanation]") {
  CHECK(explained({doubled}, {1, 2, 3, 4}, {2, 4, 6, 9}).empty());
  CHECK(explained({doubled}, {1, 2, 3, 4}, {2, 4, 6, hole}).empty());
  CHECK(explained({doubled}, {1, 2, 3, 4}, {2, 4, 6, 4}).empty());  // the last element is right, but the mistake would make it wrong
}

TEST_CASE("a mistake that would have spoilt a launch that was right is not it", "[explanation]") {
  const std::vector<double> large{4, 5, 6, 7};
  CHECK(explained({doubled, doubled_past_three}, large, {8, 10, 12, 14}).empty());
  CHECK(explained({doubled, doubled_past_three}, large, {8, 10, 12, 14}, {{1, 2, 3}}) == "doubled-past-three");
}

TEST_CASE("where two mistakes give the same output, nothing is said", "[explanation]") {
  CHECK(explained({doubled, doubled_past_three}, {4, 5, 6, 7}, {8, 10, 12, 14}).empty());
}

TEST_CASE("holes are a pattern, but not where nothing was written at all", "[explanation]") {
  CHECK(explained({last_unwritten}, {1, 2, 3, 4}, {1, 2, 3, hole}) == "last-unwritten");
  const Mistake nothing_written = mistake("nothing", [](double, std::size_t) { return Guess{State::unwritten, 0, 0}; });
  CHECK(explained({nothing_written}, {1, 2}, {hole, hole}).empty());
}

TEST_CASE("a few values may be met by chance, and prove nothing", "[explanation]") {
  CHECK(explained({doubled}, {1, 2}, {2, 4}).empty());
  CHECK(explained({doubled}, {1, 1, 1, 1}, {2, 2, 2, 2}).empty());
}

TEST_CASE("what a mistake leaves open is no evidence for it", "[explanation]") {
  CHECK(explained({known_in_the_first_column_alone}, {1, 2, 3, 4}, {2, 9, 9, 9}).empty());
}

TEST_CASE("a pattern of holes or of elements that are not finite counts only where the mistake foretells all of it", "[explanation]") {
  const auto leaving_open = [](const Guess& guess, std::size_t first) {
    return mistake("some", [=](double right, std::size_t column) {
      return column >= first ? guess : column == 2 ? Guess{} : Guess{State::value, right, 0};
    });
  };
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& [guess, seen] :
       {std::pair{Guess{State::unwritten, 0, 0}, hole}, std::pair{Guess{State::value, infinite, 0}, infinite}}) {
    CHECK(explained({leaving_open(guess, 3)}, {1, 2, 3, 4, 5}, {1, 2, seen, seen, seen}).empty());
    CHECK(explained({leaving_open(guess, 2)}, {1, 2, 3, 4, 5}, {1, 2, seen, seen, seen}) == "some");
  }
}

TEST_CASE("where the problem knows no mistake that fits, a generic one is named", "[explanation]") {
  Evidence evidence = launch({1, 2, 3, 4}, {2, 4, 6, 8}, {});
  evidence.trial.mistakes = nullptr;
  const auto found = explain({}, evidence);
  REQUIRE(found);
  CHECK(found->mistake == "output-scaled");
}

TEST_CASE("of two outputs nothing is explained", "[explanation]") {
  const std::vector<Mistake> known{doubled};
  Evidence two = launch({1, 2, 3, 4}, {2, 4, 6, 8}, known);
  two.trial.operands.push_back(two.trial.operands[0]);
  CHECK_FALSE(explain({}, two));
}
