#include "judge/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "judge/comparison.hpp"

namespace tilelab::judge {
namespace {

// Fewer different wrong values than this can match by chance, because small integers repeat.
constexpr std::size_t least_values = 3;

const Operand* only_output(const Trial& trial) {
  const auto is_output = [](const Operand& operand) { return operand.kind == Operand::Kind::output; };
  const auto found = std::find_if(trial.operands.begin(), trial.operands.end(), is_output);
  if (found == trial.operands.end() || std::any_of(found + 1, trial.operands.end(), is_output)) return nullptr;
  return &*found;
}

double bound_of(const Expectation& expected, std::size_t index) { return expected.bounds.empty() ? 0.0 : expected.bounds[index]; }

bool agrees(const Guess& guess, float got) {
  if (guess.state == Guess::State::unknown) return true;
  if (guess.state == Guess::State::unwritten) return is_unwritten(got);
  if (!std::isfinite(guess.value)) return !std::isfinite(got) && !is_unwritten(got);
  return std::abs(static_cast<double>(got) - guess.value) <= guess.bound;
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
bool reproduces(const GuessOfElement& guess_of, const Expectation& expected, const std::vector<float>& got) {
  std::size_t wrong = 0, known = 0, unwritten = 0, written = 0, spread = 0;
  std::set<float> values;
  for (std::size_t i = 0; i < got.size(); ++i) {
    written += !is_unwritten(got[i]);
    if (is_right(got[i], expected, i)) continue;
    ++wrong;
    const Guess guess = guess_of(i / expected.columns, i % expected.columns);
    if (!agrees(guess, got[i])) return false;
    known += guess.state != Guess::State::unknown;
    unwritten += guess.state == Guess::State::unwritten;
    if (guess.state != Guess::State::value) continue;
    spread += !std::isfinite(guess.value);
    if (std::isfinite(guess.value) && values.size() < least_values) values.insert(got[i]);
  }
  if (2 * known <= wrong) return false;
  const bool holes = unwritten > 0 && written > 0;        // a pattern of unwritten elements; an output with nothing written has no pattern
  const bool spreads = spread > 0 && wrong < got.size();  // likewise a pattern of elements that are not finite
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

}  // namespace

std::optional<Explanation> explain(const std::vector<Evidence>& earlier, const Evidence& wrong) {
  const Operand* const output = only_output(wrong.trial);
  if (!wrong.trial.mistakes || !output || output->expectation.values.size() != wrong.got.size()) return std::nullopt;
  std::optional<Explanation> found;
  for (const Mistake& mistake : *wrong.trial.mistakes) {
    const bool fits = std::any_of(mistake.variants.begin(), mistake.variants.end(),
                                  [&](const Variant& variant) { return accounts_for(variant, earlier, wrong); });
    if (!fits) continue;
    if (found) return std::nullopt;  // two mistakes explain it, so neither is named
    found = Explanation{mistake.name, mistake.sentence, mistake.advice};
  }
  return found;
}

}  // namespace tilelab::judge
