// Which mistake explains a wrong output, of the problem's own and of those that any output can have.
#include "judge/mistake.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
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

constexpr double closeness = 1e-6;               // relative: some roundings of fp32
constexpr double closeness_of_integers = 1e-12;  // these are not rounded; a factor that is worked out is
constexpr std::array<std::size_t, 3> usual_sides{8, 16, 32};
constexpr double most_rounding = 1.0 / 64;  // relative: what roundings to 8 or 11 bits add up to is no constant of a formula
constexpr std::size_t least_witnesses = 3;  // fewer rows may agree by chance

using Index = std::size_t;

// One launch as a mistake sees it: where the right values are, and in which tiles.
struct Output {
  const Trial& trial;
  const Expectation& right;
  std::size_t rows, columns, tile_rows, tile_columns, threads_x, threads_y;
  double close;

  Output(const Trial& trial, const protocol::LaunchConfig& config)
      : trial(trial), right(only_output(trial)->expectation), rows(right.rows), columns(right.columns),
        tile_rows(std::clamp(config.block.y, 1u, largest_block_side)), tile_columns(std::clamp(config.block.x, 1u, largest_block_side)),
        threads_x(std::size_t{config.grid.x} * tile_columns), threads_y(std::size_t{config.grid.y} * tile_rows),
        close(is_floating(only_output(trial)->type) ? closeness : closeness_of_integers) {}

  Guess at(std::size_t row, std::size_t column) const { return row < rows && column < columns ? flat(row * columns + column) : Guess{}; }

  Guess flat(std::size_t index) const {
    if (index >= right.values.size()) return {};
    return {Guess::State::value, right.values[index], right.bounds.empty() ? 0.0 : right.bounds[index]};
  }

  Guess changed(std::size_t row, std::size_t column, double value) const {
    return {Guess::State::value, value, at(row, column).bound + close * std::abs(value)};
  }
};

template <class Element>
Variant variant(Element element) {
  return variant_of<Output>(element);
}

// Row and column are exchanged within each tile, or the tiles are exchanged and not turned.
std::vector<Variant> tiles_turned() {
  std::vector<Variant> all;
  for (const Index side : usual_sides) {
    all.push_back(
        variant([side](const Output& o, Index i, Index j) { return o.at(i / side * side + j % side, j / side * side + i % side); }));
    all.push_back(
        variant([side](const Output& o, Index i, Index j) { return o.at(j / side * side + i % side, i / side * side + j % side); }));
  }
  return all;
}

std::vector<Variant> shifted() {
  std::vector<Variant> all;
  const auto shift = [&](Index down, Index right) {  // -1 wraps around to a place that does not exist
    all.push_back(variant([down, right](const Output& o, Index i, Index j) { return o.at(i + down, j + right); }));
  };
  for (const Index one : {Index{1}, static_cast<Index>(-1)}) {
    shift(0, one);
    shift(one, 0);
    shift(one, one);
    shift(one, Index{0} - one);
    all.push_back(variant([one](const Output& o, Index i, Index j) { return o.flat(i * o.columns + j + one); }));
  }
  return all;
}

// Stored as if each row had another number of elements: the number of rows, or one of the kernel's integers.
std::vector<Variant> row_lengths(const Trial& trial) {
  std::vector<Variant> all;
  const auto stored_with = [&](auto length_of) {
    all.push_back(variant([length_of](const Output& o, Index i, Index j) -> Guess {
      const Index length = length_of(o), at = i * o.columns + j;
      if (length < o.columns) return {};  // rows overlap: the last thread that writes wins
      return at % length < o.columns && at / length < o.rows ? o.at(at / length, at % length) : unwritten;
    }));
  };
  stored_with([](const Output& o) { return o.rows; });
  for (Index k = 0; k < trial.operands.size(); ++k) {
    if (trial.operands[k].kind != Operand::Kind::scalar) continue;
    stored_with([k](const Output& o) { return static_cast<Index>(std::max(o.trial.operands[k].number, 0.0)); });
  }
  return all;
}

template <class Covered>
Variant covered(Covered holds) {
  return variant([holds](const Output& o, Index i, Index j) { return holds(o, i, j) ? o.at(i, j) : unwritten; });
}

Index in_whole_tiles(Index length, Index side) { return length < side ? length : length / side * side; }

// Adds a variant for each input that has as many elements as the output. In another launch it may have more, or fewer.
template <class Element>
void add_for_inputs(std::vector<Variant>& all, const Trial& trial, Index size, Element element) {
  for (Index k = 0; k < trial.operands.size(); ++k) {
    if (trial.operands[k].kind == Operand::Kind::input && trial.operands[k].values.size() == size)
      all.push_back(variant([k, element](const Output& o, Index i, Index j) -> Guess { return element(o, o.trial.operands[k], i, j); }));
  }
}

bool is_like(const Operand& in, const Output& o) { return in.values.size() == o.right.values.size(); }

std::vector<Variant> input_copied(const Trial& trial, Index size) {
  std::vector<Variant> all;
  add_for_inputs(all, trial, size, [](const Output& o, const Operand& in, Index i, Index j) {
    return is_like(in, o) ? o.changed(i, j, in.values[i * o.columns + j]) : Guess{};
  });
  // At the same row and column, where the input's rows have another length: known only where both have such a place.
  add_for_inputs(all, trial, size, [](const Output& o, const Operand& in, Index i, Index j) {
    const Index at = i * in.columns + j;
    return j < in.columns && at < in.values.size() ? o.changed(i, j, in.values[at]) : Guess{};
  });
  return all;
}

// Each value lacks one neighbour's element of an input, or has it twice: `sign` -1 or +1.
std::vector<Variant> neighbours(const Trial& trial, Index size, double sign) {
  std::vector<Variant> all;
  for (const int down : {-1, 0, 1}) {
    for (const int right : {-1, 0, 1}) {
      add_for_inputs(all, trial, size, [=](const Output& o, const Operand& in, Index i, Index j) {
        const Index row = i + static_cast<Index>(down), column = j + static_cast<Index>(right);
        if (!is_like(in, o) || row >= o.rows || column >= o.columns) return Guess{};
        return o.changed(i, j, o.at(i, j).value + sign * in.values[row * o.columns + column]);
      });
    }
  }
  return all;
}

bool is_finite_and_wrong(const Expectation& right, const std::vector<double>& got, std::size_t i) {
  return !is_right(got[i], right, i) && std::isfinite(got[i]) && std::isfinite(right.values[i]);
}

// How often a wrong factor or term was seen independently of the others: in so many rows, because the elements of a row may share a sum
// that is wrong. A vector's elements share none. It is known by its arguments, as a matrix with one row is given the number 1.
std::size_t witnesses(const Trial& trial, const std::vector<double>& got) {
  const Expectation& right = only_output(trial)->expectation;
  const bool vector = right.rows == 1 && std::none_of(trial.operands.begin(), trial.operands.end(), [](const Operand& operand) {
                        return operand.kind == Operand::Kind::scalar && operand.number == 1;
                      });
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < got.size() && found.size() < least_witnesses; ++i) {
    if (is_finite_and_wrong(right, got, i)) found.insert(vector ? i : i / right.columns);
  }
  return found.size();
}

// The wrong element that tells a factor best: its bound is the smallest beside its value.
std::optional<std::size_t> most_exact_wrong(const Expectation& right, const std::vector<double>& got) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_finite_and_wrong(right, got, i) || right.values[i] == 0) continue;
    const double inexact = right.bounds.empty() ? 0 : right.bounds[i] / std::abs(right.values[i]);
    if (best && inexact >= least) continue;
    best = i;
    least = inexact;
  }
  return best;
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

// --- What an output may hold by mistake, whatever the problem computes: the sentences and the guesses of generic_mistakes().

const Operand* only_output(const Trial& trial) {
  const auto is_output = [](const Operand& operand) { return operand.is_result(); };
  const auto found = std::find_if(trial.operands.begin(), trial.operands.end(), is_output);
  if (found == trial.operands.end() || std::any_of(found + 1, trial.operands.end(), is_output)) return nullptr;
  return &*found;
}

std::vector<Mistake> generic_mistakes(const Trial& trial, const std::vector<double>& got) {
  const Expectation& right = only_output(trial)->expectation;
  const std::size_t size = right.values.size();
  std::vector<Mistake> all{
      {"input-copied", "The output holds an input as it is: nothing was computed, or nothing changed its place.",
       "Follow one element from its load to its store: what happens to it in between?", input_copied(trial, size)},
      {"output-transposed",
       "The values are right, but row and column of the output are exchanged.",
       "Which of a thread's two indices is the row of its element, where it is computed and where it is stored?",
       {variant([](const Output& o, Index i, Index j) { return o.at(j, i); }), variant([](const Output& o, Index i, Index j) {
          const Index at = i * o.columns + j;  // stored as if rows and columns were exchanged
          return o.at(at % o.rows, at / o.rows);
        })}},
      {"tiles-exchanged",
       "The values are right, but row and column are exchanged either within each tile or between the tiles, and not in the other.",
       "A transposed place has two parts: the tile's, and the place within the tile. Follow one element that is in no corner.",
       tiles_turned()},
      {"output-shifted", "Each element holds the value that belongs beside it: the result is shifted by one place.",
       "Take the first element. With which index is it read and computed, and with which index is it stored?", shifted()},
      {"output-reversed",
       "The values are right, but their order is reversed.",
       "Where does the first thread store its result, and where the last one?",
       {variant([](const Output& o, Index i, Index j) { return o.at(o.rows - 1 - i, o.columns - 1 - j); }),
        variant([](const Output& o, Index i, Index j) { return o.at(i, o.columns - 1 - j); }),
        variant([](const Output& o, Index i, Index j) { return o.at(o.rows - 1 - i, j); })}},
      {"output-row-length", "The values are right, but they are stored with another row length than the output has.",
       "How many elements does one row of the output have? Check the index of the store with sizes that all differ.", row_lengths(trial)},
      {"part-unwritten",
       "A part of the output is never written: its last rows or columns, or what belongs to other blocks than the first ones.",
       "Count the threads along each axis: do they cover the output? Then check the condition that stops threads.",
       {covered([](const Output& o, Index i, Index) { return i < in_whole_tiles(o.rows, o.tile_rows); }),
        covered([](const Output& o, Index, Index j) { return j < in_whole_tiles(o.columns, o.tile_columns); }),
        covered([](const Output& o, Index i, Index j) {
          return i < in_whole_tiles(o.rows, o.tile_rows) && j < in_whole_tiles(o.columns, o.tile_columns);
        }),
        covered([](const Output& o, Index i, Index j) { return i < o.threads_y && j < o.threads_x; }),
        covered([](const Output& o, Index i, Index j) { return i * o.columns + j < o.threads_x; }),
        covered([](const Output& o, Index i, Index) { return i < o.tile_rows; }),
        covered([](const Output& o, Index, Index j) { return j < o.tile_columns; }),
        covered([](const Output& o, Index i, Index j) { return i < o.tile_rows && j < o.tile_columns; }),
        covered([](const Output& o, Index i, Index) { return i + 1 < o.rows; }),
        covered([](const Output& o, Index, Index j) { return j + 1 < o.columns; }),
        covered([](const Output& o, Index i, Index j) { return i + 1 < o.rows && j + 1 < o.columns; }),
        covered([](const Output&, Index i, Index) { return i > 0; }), covered([](const Output&, Index, Index j) { return j > 0; })}},
      {"output-whole-numbers",
       "Everything after the decimal point is cut off: somewhere a value is kept as a whole number.",
       "Which type does each variable have that a value passes through, up to the store?",
       {variant([](const Output& o, Index i, Index j) { return o.changed(i, j, std::trunc(o.at(i, j).value)); })}}};
  for (const double sign : {-1.0, 1.0})
    all.push_back(
        {sign < 0 ? "neighbour-missing" : "neighbour-twice",
         sign < 0 ? "Each value lacks an element of the input: its own or a neighbour's is not added."
                  : "Each value has an element of the input too often: its own or a neighbour's is added twice.",
         "Write down, for one element inside, which elements of the input belong to it. Which of them does the kernel use, and how often?",
         neighbours(trial, size, sign)});
  if (witnesses(trial, got) < least_witnesses) return all;
  const auto best = most_exact_wrong(right, got);
  const double factor = best ? got[*best] / right.values[*best] : 0;
  if (factor != 0 && std::abs(factor - 1) > most_rounding)
    all.push_back({"output-scaled",
                   "Every value is the right one times the same factor.",
                   "Which constant belongs in the formula, and which products or divisions does each value pass through?",
                   {variant([factor](const Output& o, Index i, Index j) -> Guess {
                     // The bound is scaled too, and counts twice: for the element, and for the one from which the factor is known.
                     const Guess exact = o.at(i, j);
                     const double value = factor * exact.value;
                     return {Guess::State::value, value, 2 * std::abs(factor) * exact.bound + o.close * std::abs(value)};
                   })}});
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_finite_and_wrong(right, got, i)) continue;
    all.push_back({"output-offset",
                   "Every value is the right one plus the same number.",
                   "With which value does each result begin, and which term of the formula is the same for all elements?",
                   {variant([difference = got[i] - right.values[i]](const Output& o, Index row, Index column) {
                     return o.changed(row, column, o.at(row, column).value + difference);
                   })}});
    break;
  }
  return all;
}

}  // namespace tilelab::judge
