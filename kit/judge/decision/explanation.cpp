#include "judge/decision/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "judge/comparison.hpp"
#include "operands/operand.hpp"

namespace tilelab::judge {
namespace {

// Fewer different wrong values than this can match by chance, because small integers repeat.
constexpr std::size_t least_values = 3;

double bound_of(const Expectation& expected, std::size_t index) { return expected.bounds.empty() ? 0.0 : expected.bounds[index]; }

bool agrees(const Guess& guess, double got) {
  if (guess.state == Guess::State::unknown) return true;
  if (guess.state == Guess::State::unwritten) return is_unwritten(got);
  if (!std::isfinite(guess.value)) return !std::isfinite(got) && !is_unwritten(got);
  return std::abs(got - guess.value) <= guess.bound;
}

// Whether a kernel with this mistake would still give the right output for this launch.
bool leaves_right(const GuessOfElement& guess_of, const Expectation& expected) {
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const Guess guess = guess_of(i / expected.columns, i % expected.columns);
    if (guess.state == Guess::State::unknown) continue;
    if (guess.state == Guess::State::unwritten) return false;
    if (expected.non_finite && !std::isfinite(expected.values[i])) continue;
    if (!(std::abs(expected.values[i] - guess.value) <= bound_of(expected, i) + guess.bound)) return false;
  }
  return true;
}

// Whether the mistake gives exactly this output. Wrong elements are compared first, because they refute most hypotheses at once.
bool reproduces(const GuessOfElement& guess_of, const Expectation& expected, const std::vector<double>& got) {
  std::size_t wrong = 0, known = 0, unwritten = 0, unwritten_got = 0, spread = 0, spread_got = 0;
  std::set<double> values;
  for (std::size_t i = 0; i < got.size(); ++i) {
    unwritten_got += is_unwritten(got[i]);
    if (is_right(got[i], expected, i)) continue;
    ++wrong;
    spread_got += !std::isfinite(got[i]) && !is_unwritten(got[i]);
    const Guess guess = guess_of(i / expected.columns, i % expected.columns);
    if (!agrees(guess, got[i])) return false;
    known += guess.state != Guess::State::unknown;
    unwritten += guess.state == Guess::State::unwritten;
    if (guess.state != Guess::State::value) continue;
    spread += !std::isfinite(guess.value);
    if (std::isfinite(guess.value) && values.size() < least_values) values.insert(got[i]);
  }
  if (2 * known <= wrong) return false;
  // A pattern of unwritten elements, foretold as a whole: a mistake that leaves most of them open fits many patterns. An output with
  // nothing written has no pattern. Likewise for elements that are not finite.
  const bool holes = unwritten > 0 && unwritten == unwritten_got && unwritten < got.size();
  const bool spreads = spread > 0 && spread == spread_got && wrong < got.size();
  if (!holes && !spreads && values.size() < least_values) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(expected.values[i])) continue;
    if (is_right(got[i], expected, i) && !agrees(guess_of(i / expected.columns, i % expected.columns), got[i])) return false;
  }
  return true;
}

bool accounts_for(const Variant& variant, const std::vector<Evidence>& earlier, const Evidence& wrong) {
  const Expectation& expected = only_output(wrong.trial)->expectation;
  if (!reproduces(variant(wrong.trial, wrong.config), expected, wrong.got)) return false;
  return std::all_of(earlier.begin(), earlier.end(), [&](const Evidence& one) {
    return leaves_right(variant(one.trial, one.config), only_output(one.trial)->expectation);
  });
}

// How many mistakes fit, up to two, and the first of them.
struct Fitting {
  std::size_t count = 0;
  std::optional<Explanation> first = std::nullopt;
};

Fitting fitting(const std::vector<Mistake>& mistakes, const std::vector<Evidence>& earlier, const Evidence& wrong) {
  Fitting found;
  for (const Mistake& mistake : mistakes) {
    const bool fits = std::any_of(mistake.variants.begin(), mistake.variants.end(),
                                  [&](const Variant& variant) { return accounts_for(variant, earlier, wrong); });
    if (!fits) continue;
    if (++found.count > 1) break;
    found.first = Explanation{mistake.name, mistake.sentence, mistake.advice};
  }
  return found;
}

}  // namespace

// The problem's own mistakes first: they know what is computed. If two of them explain it, neither is named. A generic one only
// describes what the output holds, so the first that does is as true as another.
std::optional<Explanation> explain(const std::vector<Evidence>& earlier, const Evidence& wrong) {
  const Operand* const output = only_output(wrong.trial);
  if (!output || output->expectation.values.size() != wrong.got.size()) return std::nullopt;
  const Fitting own = wrong.trial.mistakes ? fitting(*wrong.trial.mistakes, earlier, wrong) : Fitting{};
  if (own.count > 0) return own.count == 1 ? own.first : std::nullopt;
  return fitting(generic_mistakes(wrong.trial, wrong.got), earlier, wrong).first;
}

}  // namespace tilelab::judge
