// What an output may hold by mistake, whatever the problem computes: the sentences and the guesses of generic_mistakes().
#include "judge/decision/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>

#include "judge/comparison.hpp"

namespace tilelab::judge {
namespace {

constexpr double closeness = 1e-6;               // relative: some roundings of fp32
constexpr double closeness_of_integers = 1e-12;  // these are not rounded; a factor that is worked out is
constexpr std::array<std::size_t, 3> usual_sides{8, 16, 32};
constexpr double most_rounding = 1.0 / 64;  // relative: what roundings to 8 or 11 bits add up to is no constant of a formula
constexpr std::size_t least_witnesses = 3;  // fewer rows may agree by chance
constexpr unsigned largest_side = 1024;     // of a block; a submission may give any numbers

constexpr Guess unwritten{Guess::State::unwritten, 0, 0};

// One launch as a mistake sees it: where the right values are, and in which tiles.
struct Output {
  const Trial& trial;
  const Expectation& right;
  std::size_t rows, columns, tile_rows, tile_columns, threads_x, threads_y;
  double close;

  Output(const Trial& trial, const protocol::LaunchConfig& config)
      : trial(trial), right(only_output(trial)->expectation), rows(right.rows), columns(right.columns),
        tile_rows(std::clamp(config.block.y, 1u, largest_side)), tile_columns(std::clamp(config.block.x, 1u, largest_side)),
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

// A variant from a function of an output and an element's row and column.
template <class Element>
Variant variant(Element element) {
  return [element](const Trial& trial, const protocol::LaunchConfig& config) -> GuessOfElement {
    return [output = Output(trial, config), element](std::size_t row, std::size_t column) { return element(output, row, column); };
  };
}

Mistake transposed() {
  Mistake mistake{"output-transposed",
                  "The values are right, but row and column of the output are exchanged.",
                  "Which of a thread's two indices is the row of its element, where it is computed and where it is stored?",
                  {variant([](const Output& o, std::size_t i, std::size_t j) { return o.at(j, i); }),
                   variant([](const Output& o, std::size_t i, std::size_t j) {
                     const std::size_t at = i * o.columns + j;  // stored as if rows and columns were exchanged
                     return o.at(at % o.rows, at / o.rows);
                   })}};
  return mistake;
}

// Row and column are exchanged within each tile, or the tiles are exchanged and not turned.
Mistake tiles_turned() {
  Mistake mistake{
      "tiles-exchanged",
      "The values are right, but row and column are exchanged either within each tile or between the tiles, and not in the other.",
      "A transposed place has two parts: the tile's, and the place within the tile. Follow one element that is in no corner.",
      {}};
  for (const std::size_t side : usual_sides) {
    mistake.variants.push_back(variant(
        [side](const Output& o, std::size_t i, std::size_t j) { return o.at(i / side * side + j % side, j / side * side + i % side); }));
    mistake.variants.push_back(variant(
        [side](const Output& o, std::size_t i, std::size_t j) { return o.at(j / side * side + i % side, i / side * side + j % side); }));
  }
  return mistake;
}

Mistake shifted() {
  Mistake mistake{"output-shifted",
                  "Each element holds the value that belongs beside it: the result is shifted by one place.",
                  "Take the first element. With which index is it read and computed, and with which index is it stored?",
                  {}};
  const auto shift = [&](std::size_t down, std::size_t right) {  // -1 wraps around to a place that does not exist
    mistake.variants.push_back(variant([down, right](const Output& o, std::size_t i, std::size_t j) { return o.at(i + down, j + right); }));
  };
  for (const std::size_t one : {std::size_t{1}, static_cast<std::size_t>(-1)}) {
    shift(0, one);
    shift(one, 0);
    shift(one, one);
    shift(one, static_cast<std::size_t>(0) - one);
    mistake.variants.push_back(variant([one](const Output& o, std::size_t i, std::size_t j) { return o.flat(i * o.columns + j + one); }));
  }
  return mistake;
}

Mistake reversed() {
  return {"output-reversed",
          "The values are right, but their order is reversed.",
          "Where does the first thread store its result, and where the last one?",
          {variant([](const Output& o, std::size_t i, std::size_t j) { return o.at(o.rows - 1 - i, o.columns - 1 - j); }),
           variant([](const Output& o, std::size_t i, std::size_t j) { return o.at(i, o.columns - 1 - j); }),
           variant([](const Output& o, std::size_t i, std::size_t j) { return o.at(o.rows - 1 - i, j); })}};
}

// Stored as if each row had another number of elements: the number of rows, or one of the kernel's integers.
Mistake row_length(const Trial& trial) {
  Mistake mistake{"output-row-length",
                  "The values are right, but they are stored with another row length than the output has.",
                  "How many elements does one row of the output have? Check the index of the store with sizes that all differ.",
                  {}};
  const auto stored_with = [&](auto length_of) {
    mistake.variants.push_back(variant([length_of](const Output& o, std::size_t i, std::size_t j) -> Guess {
      const std::size_t length = length_of(o), at = i * o.columns + j;
      if (length < o.columns) return {};  // rows overlap: the last thread that writes wins
      return at % length < o.columns && at / length < o.rows ? o.at(at / length, at % length) : unwritten;
    }));
  };
  stored_with([](const Output& o) { return o.rows; });
  for (std::size_t k = 0; k < trial.operands.size(); ++k) {
    if (trial.operands[k].kind != Operand::Kind::scalar) continue;
    stored_with([k](const Output& o) { return static_cast<std::size_t>(std::max(o.trial.operands[k].number, 0.0)); });
  }
  return mistake;
}

Mistake part_unwritten() {
  const auto covered = [](auto holds) {
    return variant([holds](const Output& o, std::size_t i, std::size_t j) { return holds(o, i, j) ? o.at(i, j) : unwritten; });
  };
  const auto whole = [](std::size_t length, std::size_t side) { return length < side ? length : length / side * side; };
  return {"part-unwritten",
          "A part of the output is never written: its last rows or columns, or what belongs to other blocks than the first ones.",
          "Count the threads along each axis: do they cover the output? Then check the condition that stops threads.",
          {covered([whole](const Output& o, std::size_t i, std::size_t) { return i < whole(o.rows, o.tile_rows); }),
           covered([whole](const Output& o, std::size_t, std::size_t j) { return j < whole(o.columns, o.tile_columns); }),
           covered([whole](const Output& o, std::size_t i, std::size_t j) {
             return i < whole(o.rows, o.tile_rows) && j < whole(o.columns, o.tile_columns);
           }),
           covered([](const Output& o, std::size_t i, std::size_t j) { return i < o.threads_y && j < o.threads_x; }),
           covered([](const Output& o, std::size_t i, std::size_t j) { return i * o.columns + j < o.threads_x; }),
           covered([](const Output& o, std::size_t i, std::size_t) { return i < o.tile_rows; }),
           covered([](const Output& o, std::size_t, std::size_t j) { return j < o.tile_columns; }),
           covered([](const Output& o, std::size_t i, std::size_t j) { return i < o.tile_rows && j < o.tile_columns; }),
           covered([](const Output& o, std::size_t i, std::size_t) { return i + 1 < o.rows; }),
           covered([](const Output& o, std::size_t, std::size_t j) { return j + 1 < o.columns; }),
           covered([](const Output& o, std::size_t i, std::size_t j) { return i + 1 < o.rows && j + 1 < o.columns; }),
           covered([](const Output&, std::size_t i, std::size_t) { return i > 0; }),
           covered([](const Output&, std::size_t, std::size_t j) { return j > 0; })}};
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

// The bound is scaled too, and counts twice: for the element, and for the one from which the factor is known.
Mistake scaled(double factor) {
  return {"output-scaled",
          "Every value is the right one times the same factor.",
          "Which constant belongs in the formula, and which products or divisions does each value pass through?",
          {variant([factor](const Output& o, std::size_t i, std::size_t j) -> Guess {
            const Guess right = o.at(i, j);
            const double value = factor * right.value;
            return {Guess::State::value, value, 2 * std::abs(factor) * right.bound + o.close * std::abs(value)};
          })}};
}

Mistake offset(double difference) {
  return {
      "output-offset",
      "Every value is the right one plus the same number.",
      "With which value does each result begin, and which term of the formula is the same for all elements?",
      {variant([difference](const Output& o, std::size_t i, std::size_t j) { return o.changed(i, j, o.at(i, j).value + difference); })}};
}

Mistake cut_off() {
  return {"output-whole-numbers",
          "Everything after the decimal point is cut off: somewhere a value is kept as a whole number.",
          "Which type does each variable have that a value passes through, up to the store?",
          {variant([](const Output& o, std::size_t i, std::size_t j) { return o.changed(i, j, std::trunc(o.at(i, j).value)); })}};
}

// The input's elements in the output's order, where there are as many.
template <class Element>
void for_each_like_input(Mistake& mistake, const Trial& trial, std::size_t size, Element element) {
  for (std::size_t k = 0; k < trial.operands.size(); ++k) {
    const Operand& operand = trial.operands[k];
    if (operand.kind != Operand::Kind::input || operand.values.size() != size) continue;
    mistake.variants.push_back(variant([k, element](const Output& o, std::size_t i, std::size_t j) -> Guess {
      const std::vector<double>& in = o.trial.operands[k].values;
      return in.size() == o.right.values.size() ? element(o, in, i, j) : Guess{};
    }));
  }
}

Mistake input_copied(const Trial& trial, std::size_t size) {
  Mistake mistake{"input-copied",
                  "The output holds an input as it is: nothing was computed, or nothing changed its place.",
                  "Follow one element from its load to its store: what happens to it in between?",
                  {}};
  for_each_like_input(mistake, trial, size, [](const Output& o, const std::vector<double>& in, std::size_t i, std::size_t j) {
    return o.changed(i, j, in[i * o.columns + j]);
  });
  // At the same row and column, where the input's rows have another length: known only where both have such a place.
  for (std::size_t k = 0; k < trial.operands.size(); ++k) {
    if (trial.operands[k].kind != Operand::Kind::input || trial.operands[k].values.size() != size) continue;
    mistake.variants.push_back(variant([k](const Output& o, std::size_t i, std::size_t j) {
      const Operand& in = o.trial.operands[k];
      const std::size_t at = i * in.columns + j;
      return j < in.columns && at < in.values.size() ? o.changed(i, j, in.values[at]) : Guess{};
    }));
  }
  return mistake;
}

// Each value lacks one neighbour's element of an input, or has it twice: `sign` -1 or +1.
Mistake neighbour(const Trial& trial, std::size_t size, double sign) {
  Mistake mistake{
      sign < 0 ? "neighbour-missing" : "neighbour-twice",
      sign < 0 ? "Each value lacks an element of the input: its own or a neighbour's is not added."
               : "Each value has an element of the input too often: its own or a neighbour's is added twice.",
      "Write down, for one element inside, which elements of the input belong to it. Which of them does the kernel use, and how often?",
      {}};
  for (const int down : {-1, 0, 1}) {
    for (const int right : {-1, 0, 1}) {
      for_each_like_input(mistake, trial, size, [=](const Output& o, const std::vector<double>& in, std::size_t i, std::size_t j) -> Guess {
        const std::size_t row = i + static_cast<std::size_t>(down), column = j + static_cast<std::size_t>(right);
        if (row >= o.rows || column >= o.columns) return {};
        return o.changed(i, j, o.at(i, j).value + sign * in[row * o.columns + column]);
      });
    }
  }
  return mistake;
}

}  // namespace

const Operand* only_output(const Trial& trial) {
  const auto is_output = [](const Operand& operand) { return operand.is_result(); };
  const auto found = std::find_if(trial.operands.begin(), trial.operands.end(), is_output);
  if (found == trial.operands.end() || std::any_of(found + 1, trial.operands.end(), is_output)) return nullptr;
  return &*found;
}

std::vector<Mistake> generic_mistakes(const Trial& trial, const std::vector<double>& got) {
  const Expectation& right = only_output(trial)->expectation;
  const std::size_t size = right.values.size();
  std::vector<Mistake> all{input_copied(trial, size),
                           transposed(),
                           tiles_turned(),
                           shifted(),
                           reversed(),
                           row_length(trial),
                           part_unwritten(),
                           cut_off(),
                           neighbour(trial, size, -1),
                           neighbour(trial, size, 1)};
  if (witnesses(trial, got) < least_witnesses) return all;
  if (const auto best = most_exact_wrong(right, got)) {
    const double factor = got[*best] / right.values[*best];
    if (factor != 0 && std::abs(factor - 1) > most_rounding) all.push_back(scaled(factor));
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_finite_and_wrong(right, got, i)) continue;
    all.push_back(offset(got[i] - right.values[i]));
    break;
  }
  return all;
}

}  // namespace tilelab::judge
