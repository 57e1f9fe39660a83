#include "problems/lettered_matmul.hpp"

#include <memory>

#include "judge/bench.hpp"
#include "problems/matmul.hpp"

namespace tilelab::lettered_matmul {
namespace {

matmul::Shape shape_of(Sizes sizes) { return {.M = sizes.rows, .N = sizes.columns, .K = sizes.inner}; }

judge::Trial renamed(judge::Trial trial, const Letters& letters, Sizes sizes) {
  for (judge::Operand& operand : trial.operands) {
    if (operand.name == "M")
      operand.name = letters.rows;
    else if (operand.name == "K")
      operand.name = letters.inner;
    else if (operand.name == "N")
      operand.name = letters.columns;
  }
  const auto text = [](const std::string& letter, int size) { return letter + "=" + std::to_string(size); };
  trial.shape = text(letters.rows, sizes.rows) + " " + text(letters.inner, sizes.inner) + " " + text(letters.columns, sizes.columns);
  trial.mistakes = nullptr;
  return trial;
}

// With other numbers for a launcher that reads some.
template <class Draw>
judge::Trial drawn_twice(const Letters& letters, Sizes sizes, Draw draw) {
  judge::Trial trial = renamed(draw(shape_of(sizes), judge::bench().draw()), letters, sizes);
  trial.altered = std::make_shared<judge::Trial>(renamed(draw(shape_of(sizes), judge::bench().draw()), letters, sizes));
  return trial;
}

}  // namespace

void check_exact(const Letters& letters, const std::vector<Sizes>& all) {
  for (const Sizes& sizes : all) judge::check(drawn_twice(letters, sizes, matmul::exact_trial));
}

void check_close(const Letters& letters, const std::vector<Sizes>& all) {
  for (const Sizes& sizes : all) judge::check(drawn_twice(letters, sizes, matmul::close_trial));
}

std::vector<Sizes> random_sizes(int count, Sizes limit) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<Sizes> all;
  for (int i = 0; i < count; ++i) {
    const int rows = random.between(1, limit.rows), inner = random.between(1, limit.inner), columns = random.between(1, limit.columns);
    all.push_back({rows, inner, columns});
  }
  return all;
}

}  // namespace tilelab::lettered_matmul
