#include "problems/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::softmax {
namespace {

constexpr std::size_t most_elements = 1 << 20;
constexpr int largest_small = 8, largest_shift = 1000, least_peak = 40, largest_peak = 300, least_shared_columns = 512,
              most_shared_columns = 2048, most_shared_rows = 12;
constexpr double unit = 0x1p-24, least_normal = 0x1p-126;

// Instrumented events that a run may make before it counts as endless: a generous number for each element, and some for the idle threads of
// large blocks on short rows.
constexpr std::uint64_t spare_events = 40'000'000, events_per_element = 4'000, events_per_row = 250'000;

std::size_t checked(Shape shape) {
  if (shape.rows < 1 || shape.columns < 1 || shape.columns > most_columns)
    throw std::logic_error("a row has from 1 to " + std::to_string(most_columns) + " elements, and there is at least one");
  const auto elements = static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.columns);
  if (elements > most_elements) throw std::logic_error("so many elements take too long");
  return elements;
}

// The right row of `out`, in fp64, and how far a result may be from it.
void add_row(std::span<const double> in, judge::Expectation& out) {
  const double most = *std::ranges::max_element(in), roots = std::sqrt(static_cast<double>(in.size()));
  double sum = 0;
  for (const double x : in) sum += std::exp(x - most);
  for (const double x : in) {
    const double y = std::exp(x - most) / sum;
    out.values.push_back(y);
    out.bounds.push_back(y * (16 + 4 * roots + 4 * (std::abs(x) + std::abs(most))) * unit + (y < least_normal ? least_normal : 0));
  }
}

template <class Draw>
judge::Trial drawn(Shape shape, const std::string& inputs, const Draw& draw_row) {
  const std::size_t elements = checked(shape);
  const auto rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
  std::vector<double> in;
  judge::Expectation out{
      .rows = rows, .columns = columns, .values = {}, .bounds = {}, .rule = "(16 + 4·√columns + 4·(|x| + |m|))·u·y, u = 2^-24"};
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> drawn = draw_row(columns);
    for (double& x : drawn) x = static_cast<float>(x);
    add_row(drawn, out);
    in.insert(in.end(), drawn.begin(), drawn.end());
  }
  return {.shape = "rows=" + std::to_string(rows) + " columns=" + std::to_string(columns),
          .inputs = inputs,
          .operands = {judge::input("in", ElementType::f32, columns, std::move(in)), judge::output("out", std::move(out)),
                       judge::integer("rows", shape.rows), judge::integer("columns", shape.columns)},
          .launch_arguments = {shape.rows, shape.columns},
          .work_unit = "element",
          .work = elements,
          .work_events = events_per_element * elements + events_per_row * rows,
          .spare_events = spare_events};
}

template <class Draw>
judge::Trial make_trial(Shape shape, const std::string& inputs, const Draw& draw_row) {
  return judge::with_altered([&] { return drawn(shape, inputs, draw_row); });
}

std::vector<double> small_row(std::size_t columns, judge::RandomStream& random) {
  return judge::drawn_numbers(columns, [&] { return largest_small * double{random.signed_unit()}; });
}

}  // namespace

judge::Trial small_trial(Shape shape, judge::RandomStream random) {
  return make_trial(shape, "from -8 to 8", [&](std::size_t columns) { return small_row(columns, random); });
}

judge::Trial shifted_trial(Shape shape, judge::RandomStream random) {
  return make_trial(shape, "shifted by up to 1000", [&](std::size_t columns) {
    std::vector<double> row = small_row(columns, random);
    const int shift = random.between(largest_shift / 5, largest_shift) * (random.between(0, 1) == 0 ? 1 : -1);
    for (double& x : row) x += shift;
    return row;
  });
}

judge::Trial peaked_trial(Shape shape, judge::RandomStream random) {
  return make_trial(shape, "one large element in each row", [&](std::size_t columns) {
    std::vector<double> row = small_row(columns, random);
    row[static_cast<std::size_t>(random.between(0, static_cast<int>(columns) - 1))] = random.between(least_peak, largest_peak);
    return row;
  });
}

judge::Trial level_trial(Shape shape, judge::RandomStream random) {
  return make_trial(shape, "equal elements", [&](std::size_t columns) {
    return std::vector<double>(columns, -std::abs(double{random.signed_unit()}) * random.between(1, largest_shift));
  });
}

judge::Trial shared_trial(Shape shape, judge::RandomStream random) {
  if (shape.columns < least_shared_columns || shape.columns > most_shared_columns || shape.rows > most_shared_rows)
    throw std::logic_error("this rule is for other rows");
  return small_trial(shape, random);
}

std::string missed_sharing(Shape shape, const judge::Counters& counters) {
  return judge::missed_spread(counters, most_words_of_a_worker, "Let several threads share a row.",
                              std::max(most_words_of_a_worker, 5 * static_cast<std::uint64_t>(shape.columns) / 2));
}

}  // namespace tilelab::softmax
