// Each mistake is what its kernel would compute for an element of C. They come in three groups: which products are summed and how exactly,
// the indices of A and B, and which elements of C are written and where.
#include "problems/matmul_mistakes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace tilelab::matmul {
namespace {

using judge::Guess;
using judge::Mistake;

constexpr unsigned largest_side = 1024;  // of a block; a submission may give any numbers
constexpr double rounding = 0x1p-24;     // u of fp32

// The error bound of an element. It has `terms` products, whose absolute values sum to `magnitude`.
double close_bound(double magnitude, std::size_t terms) { return 4 * std::sqrt(static_cast<double>(terms)) * rounding * magnitude; }

// One launch of C = A·B as a mistake sees it: sizes, inputs by their linear index, and sums of chosen products. If an index is
// past an input's end, the sum is unknown, because nobody knows what lies there.
struct Product {
  std::size_t M, N, K;
  const std::vector<double>&A, &B;
  bool exact;
  // Usual sides of tiles, and the sides of the submission's block.
  std::array<std::size_t, 5> tiles;
  std::size_t block_x, block_y, grid_x, grid_y;

  Product(const judge::Trial& trial, const protocol::LaunchConfig& config)
      : M(side(trial, 3)), N(side(trial, 4)), K(side(trial, 5)), A(trial.operands[0].values), B(trial.operands[1].values),
        exact(trial.operands[2].expectation.bounds.empty()), block_x(std::clamp(config.block.x, 1u, largest_side)),
        block_y(std::clamp(config.block.y, 1u, largest_side)), grid_x(config.grid.x), grid_y(config.grid.y) {
    tiles = {8, 16, 32, block_x, block_y};
  }

  judge::Guess value(double sum, double magnitude, std::size_t terms) const {
    return {judge::Guess::State::value, sum, exact ? 0.0 : close_bound(magnitude, std::max<std::size_t>(terms, 1))};
  }

  // The sum over k in [first, end) of A[a_index(k)] · B[b_index(k)].
  template <class AIndex, class BIndex>
  judge::Guess sum(std::size_t first, std::size_t end, AIndex a_index, BIndex b_index) const {
    double total = 0, magnitude = 0;
    for (std::size_t k = first; k < end; ++k) {
      const std::size_t a = a_index(k), b = b_index(k);
      if (a == zero || b == zero) continue;
      if (a >= A.size() || b >= B.size()) return {};
      const double product = A[a] * B[b];
      total += product;
      magnitude += std::abs(product);
    }
    return value(total, magnitude, end > first ? end - first : 0);
  }

  // A[i][first..end) · B[first..end)[j].
  judge::Guess part(std::size_t i, std::size_t j, std::size_t first, std::size_t end) const {
    return sum(first, end, [&](std::size_t k) { return i * K + k; }, [&](std::size_t k) { return k * N + j; });
  }

  judge::Guess right(std::size_t i, std::size_t j) const { return part(i, j, 0, K); }

  static constexpr std::size_t zero =
      static_cast<std::size_t>(-1);  // as an index: this element counts as 0, like a tile's element past the matrix's edge

 private:
  static std::size_t side(const judge::Trial& trial, std::size_t index) {
    return static_cast<std::size_t>(trial.operands.at(index).number);
  }
};

// --- A variant of a mistake: the value that it gives one element of C, for every possible tile size.

constexpr judge::Guess unwritten{judge::Guess::State::unwritten, 0, 0};
constexpr std::size_t tile_choices = std::tuple_size_v<decltype(Product::tiles)>;

// Makes a variant from a function of a product and an element's row and column.
template <class Element>
judge::Variant variant(Element element) {
  return [element](const judge::Trial& trial, const protocol::LaunchConfig& config) -> judge::GuessOfElement {
    return [product = Product(trial, config), element](std::size_t i, std::size_t j) { return element(product, i, j); };
  };
}

// Adds one variant for each possible tile side. `element` is a function of a product, that side, row and column.
template <class Element>
void for_each_tile(std::vector<judge::Variant>& variants, Element element) {
  for (std::size_t choice = 0; choice < tile_choices; ++choice) {
    variants.push_back(
        variant([element, choice](const Product& p, std::size_t i, std::size_t j) { return element(p, p.tiles[choice], i, j); }));
  }
}

// The element's indices after the two coordinates within its tile are exchanged.
struct Turned {
  std::size_t row, column;
  Turned(std::size_t i, std::size_t j, std::size_t tile) : row(i / tile * tile + j % tile), column(j / tile * tile + i % tile) {}
};

// --- Which products are summed, and how exactly.

Mistake last_products_missing() {
  Mistake mistake{"last-products-missing",
                  "The last products of each sum are missing: the loop over k ends before K.",
                  "Work out on paper how many passes the loop makes when K is not a multiple of its step.",
                  {}};
  for_each_tile(mistake.variants,
                [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) { return p.part(i, j, 0, p.K / tile * tile); });
  for_each_tile(mistake.variants,
                [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) { return p.part(i, j, 0, std::min(tile, p.K)); });
  mistake.variants.push_back(variant([](const Product& p, std::size_t i, std::size_t j) { return p.part(i, j, 0, p.K - 1); }));
  return mistake;
}

Mistake first_product_missing() {
  return {"first-product-missing",
          "The first product of each sum is missing.",
          "With which k does the loop begin, and what is the index of the first element of a row?",
          {variant([](const Product& p, std::size_t i, std::size_t j) { return p.part(i, j, 1, p.K); })}};
}

Mistake not_accumulated() {
  Mistake mistake{"not-accumulated",
                  "Each sum holds only its last part: the part before it was overwritten or reset.",
                  "Follow the variable that holds the sum through two passes of the loop: where is it set, and where is it added to?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    return p.part(i, j, (p.K - 1) / tile * tile, p.K);
  });
  mistake.variants.push_back(variant([](const Product& p, std::size_t i, std::size_t j) { return p.part(i, j, p.K - 1, p.K); }));
  return mistake;
}

Mistake sum_of_another_length() {
  const auto up_to = [](std::size_t Product::* length) {
    return variant([length](const Product& p, std::size_t i, std::size_t j) { return p.part(i, j, 0, p.*length); });
  };
  return {"sum-length",
          "Each sum has the wrong number of products: M or N instead of K.",
          "Which of M, N and K is the number of products in one element of C?",
          {up_to(&Product::M), up_to(&Product::N)}};
}

// C[i][j] with additional products from a last tile that K does not fill: for k past K it adds A[i][index(k)] · B[index(k)][j].
template <class Index>
Guess with_more(const Product& p, std::size_t tile, std::size_t i, std::size_t j, Index index) {
  const std::size_t full = p.K / tile * tile;
  if (full == p.K) return p.right(i, j);
  const auto source = [&](std::size_t k) { return k < p.K ? k : index(k); };
  return p.sum(0, full + tile, [&](std::size_t k) { return i * p.K + source(k); }, [&](std::size_t k) { return source(k) * p.N + j; });
}

Mistake stale_tile() {
  Mistake mistake{"stale-tile",
                  "In the last pass the tiles still hold old elements beyond the end of K, and the kernel adds them to the sum.",
                  "What is in a shared element that no thread loads in the last pass, and which value would add nothing to the sum?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    if (p.K < tile) return p.right(i, j);  // there is no earlier tile
    return with_more(p, tile, i, j, [&](std::size_t k) { return k - tile; });
  });
  return mistake;
}

Mistake edge_repeated() {
  Mistake mistake{"edge-repeated",
                  "The kernel adds the last product of each sum more than once: beyond the end of K it loads the last element again.",
                  "Limiting an index to the matrix makes the load safe. But what does the loaded element do to the sum?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    return with_more(p, tile, i, j, [&](std::size_t) { return p.K - 1; });
  });
  return mistake;
}

// Keeps `bits` bits of the fraction. Rounds to nearest with ties to even, or cuts the rest off.
float shortened(float value, int bits, bool cut) {
  const std::uint32_t step = 1u << (23 - bits), word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t up = cut ? 0 : step / 2 - 1 + ((word / step) & 1);
  return std::bit_cast<float>((word + up) & ~(step - 1));
}

// The factors are rounded, and the sum stays in fp32.
Guess of_short_factors(const Product& p, std::size_t i, std::size_t j, int bits, bool cut) {
  double total = 0, magnitude = 0;
  for (std::size_t k = 0; k < p.K; ++k) {
    const double product = static_cast<double>(shortened(p.A[i * p.K + k], bits, cut)) * shortened(p.B[k * p.N + j], bits, cut);
    total += product;
    magnitude += std::abs(product);
  }
  return p.value(total, magnitude, p.K);
}

// Factors and sum are rounded; the sum after each product, from the first k to the last.
Guess of_short_sums(const Product& p, std::size_t i, std::size_t j, int bits, bool fused) {
  float sum = 0;
  for (std::size_t k = 0; k < p.K; ++k) {
    const float a = shortened(p.A[i * p.K + k], bits, false), b = shortened(p.B[k * p.N + j], bits, false);
    const float product = fused ? a * b : shortened(a * b, bits, false);
    sum = shortened(sum + product, bits, false);
  }
  return {Guess::State::value, sum, 0.0};
}

Mistake low_precision() {
  Mistake mistake{"low-precision",
                  "Numbers are rounded to fewer digits than a float has, as with half precision or the formats of tensor cores.",
                  "Find every place where a number is converted or packed. Factors and sums must be float everywhere.",
                  {}};
  for (const int bits : {10, 7}) {  // TF32 and half have 10; bfloat16 has 7
    for (const bool other : {false, true}) {
      mistake.variants.push_back(
          variant([bits, other](const Product& p, std::size_t i, std::size_t j) { return of_short_factors(p, i, j, bits, other); }));
      mistake.variants.push_back(
          variant([bits, other](const Product& p, std::size_t i, std::size_t j) { return of_short_sums(p, i, j, bits, other); }));
    }
  }
  return mistake;
}

// The sum, and in another variant each product too, is kept in a variable of an integer type: what follows the point is cut off.
Guess of_whole_numbers(const Product& p, std::size_t i, std::size_t j, std::size_t tile, bool products) {
  double sum = 0, kept = 0;
  for (std::size_t k = 0; k < p.K; ++k) {
    const double product = static_cast<double>(p.A[i * p.K + k]) * p.B[k * p.N + j];
    sum += products ? std::trunc(product) : product;
    if ((k + 1) % tile == 0 || k + 1 == p.K) {
      kept = std::trunc(kept + sum);
      sum = 0;
    }
  }
  return {Guess::State::value, kept, 0.0};
}

Mistake whole_number_sum() {
  Mistake mistake{"whole-number-sum",
                  "The kernel cuts off everything after the decimal point: somewhere a product or a sum is kept as a whole number.",
                  "Which type does each variable have that a product or a sum passes through, up to the store?",
                  {}};
  for (const bool products : {false, true}) {
    for (const std::size_t part : {std::size_t{1}, std::size_t{1} << 30}) {  // cut off after each product, or at the end
      mistake.variants.push_back(
          variant([part, products](const Product& p, std::size_t i, std::size_t j) { return of_whole_numbers(p, i, j, part, products); }));
    }
  }
  for_each_tile(mistake.variants,
                [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) { return of_whole_numbers(p, i, j, tile, false); });
  return mistake;
}

// --- The indices of A and B.

std::size_t a_turned(const Product& p, std::size_t i, std::size_t k, std::size_t tile) {
  const Turned at(i, k, tile);
  return at.row < p.M && at.column < p.K ? at.row * p.K + at.column : Product::zero;
}

std::size_t b_turned(const Product& p, std::size_t k, std::size_t j, std::size_t tile) {
  const Turned at(k, j, tile);
  return at.row < p.K && at.column < p.N ? at.row * p.N + at.column : Product::zero;
}

using Size = std::size_t Product::*;

// The kernel reads its element of A at `a`, a function of i and k, or that of B at `b`, a function of k and j; the other matrix is read
// as it should be.
template <class Index>
judge::Variant reading(bool of_a, Index index) {
  return variant([of_a, index](const Product& p, std::size_t i, std::size_t j) {
    return p.sum(
        0, p.K, [&](std::size_t k) { return of_a ? index(p, i, k) : i * p.K + k; },
        [&](std::size_t k) { return of_a ? k * p.N + j : index(p, k, j); });
  });
}

Mistake transposed(bool of_a) {
  const std::string matrix = of_a ? "A" : "B";
  Mistake mistake{of_a ? "a-transposed" : "b-transposed",
                  "The kernel uses " + matrix + " with row and column exchanged.",
                  "Take one element of " + matrix + ". Which index is its row and which its column, at the load and at every later use?",
                  {}};
  for (std::size_t choice = 0; choice < tile_choices; ++choice)
    mistake.variants.push_back(reading(of_a, [of_a, choice](const Product& p, std::size_t row, std::size_t column) {
      return of_a ? a_turned(p, row, column, p.tiles[choice]) : b_turned(p, row, column, p.tiles[choice]);
    }));
  for (const Size stride : {of_a ? &Product::M : &Product::K, of_a ? &Product::K : &Product::N})
    mistake.variants.push_back(
        reading(of_a, [stride](const Product& p, std::size_t row, std::size_t column) { return column * p.*stride + row; }));
  return mistake;
}

Mistake row_length(bool of_a) {
  const std::string matrix = of_a ? "A" : "B";
  Mistake mistake{of_a ? "a-row-length" : "b-row-length",
                  "The kernel uses the row length of another matrix for " + matrix + ", so only some shapes come out right.",
                  "How many elements does one row of " + matrix + " have? Check your index with sizes M, N and K that all differ.",
                  {}};
  for (const Size stride : {&Product::M, of_a ? &Product::N : &Product::K})
    mistake.variants.push_back(
        reading(of_a, [stride](const Product& p, std::size_t row, std::size_t column) { return row * p.*stride + column; }));
  return mistake;
}

Mistake both_transposed() {
  Mistake mistake{"tiles-transposed",
                  "The kernel uses the tiles of A and of B with row and column exchanged.",
                  "Which of a thread's two indices is the row of the tile when the thread writes it, and which when the thread reads it?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    const std::size_t end = (p.K + tile - 1) / tile * tile;
    return p.sum(0, end, [&](std::size_t k) { return a_turned(p, i, k, tile); }, [&](std::size_t k) { return b_turned(p, k, j, tile); });
  });
  return mistake;
}

Mistake operands_swapped() {
  return {"operands-swapped",
          "The kernel computes B·A, not A·B.",
          "Which matrix must give the row, and which must give the column, for one element of C?",
          {variant([](const Product& p, std::size_t i, std::size_t j) {
            Guess guess = p.sum(0, p.K, [&](std::size_t k) { return k * p.K + j; }, [&](std::size_t k) { return i * p.N + k; });
            return p.M == p.K && p.K == p.N ? guess : Guess{};
          })}};
}

// Past the end of row i, the flat index i * K + k is that of the next row. B's zeros hide its elements only if they are finite.
Mistake next_row_used() {
  Mistake mistake{"next-row-used",
                  "A row of C is NaN or infinite, although its row of A and the columns of B hold only finite numbers: its threads used "
                  "elements of the next row of A.",
                  "Zero times Inf is NaN. A guard on the flat index, as in row * K + a < M * K, does not stop at the end of a row: behind "
                  "it the next row begins. Which column of A does a thread ask for, and how many columns are there?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    const std::size_t end = std::min((i + 1) * p.K + (tile - p.K % tile) % tile, p.A.size());
    Guess guess = p.right(i, j);
    for (std::size_t next = (i + 1) * p.K; next < end; ++next) guess.value += 0.0 * static_cast<double>(p.A[next]);
    return guess;
  });
  return mistake;
}

Mistake square_only() {
  Mistake mistake{"square-only",
                  "The kernel uses one size instead of all three, so only square matrices come out right.",
                  "Look at every use of a size, in indices, bounds and the launch: is it a number of rows, of columns or of products?",
                  {}};
  for (const auto size : {&Product::M, &Product::N, &Product::K}) {
    mistake.variants.push_back(variant([size](const Product& p, std::size_t i, std::size_t j) {
      const std::size_t n = p.*size, row = (i * p.N + j) / n, column = (i * p.N + j) % n;
      if (row >= n) return unwritten;
      return p.sum(0, n, [&](std::size_t k) { return row * n + k; }, [&](std::size_t k) { return k * n + column; });
    }));
  }
  return mistake;
}

// --- Which elements of C are written, and where.

Mistake c_transposed() {
  Mistake mistake{"c-transposed",
                  "The values are right, but row and column of C are exchanged.",
                  "Which of a thread's two indices is the row of its element of C, in the sum and in the store?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    const Turned from(i, j, tile);
    return from.row < p.M && from.column < p.N ? p.right(from.row, from.column) : Guess{};
  });
  // The kernel stores as if C were N×M: row and column are exchanged, and the row length too.
  mistake.variants.push_back(variant([](const Product& p, std::size_t i, std::size_t j) {
    const std::size_t at = i * p.N + j;
    return p.right(at % p.M, at / p.M);
  }));
  mistake.variants.push_back(variant([](const Product& p, std::size_t i, std::size_t j) {
    if (p.M > p.N) return Guess{};  // two threads store to the same place
    return j < p.M && i < p.N ? p.right(j, i) : unwritten;
  }));
  return mistake;
}

// The value at C[i][j] if the kernel's rows have `length` elements.
Guess stored_with(const Product& p, std::size_t length, std::size_t i, std::size_t j) {
  if (length < p.N) return {};  // rows overlap: the last thread that writes wins
  const std::size_t row = (i * p.N + j) / length, column = (i * p.N + j) % length;
  return column < p.N && row < p.M ? p.right(row, column) : unwritten;
}

Mistake c_row_length() {
  Mistake mistake{"c-row-length",
                  "The kernel stores C with the row length of another matrix.",
                  "How many elements does one row of C have? Check your index with sizes M, N and K that all differ.",
                  {}};
  for (const auto stride : {&Product::M, &Product::K}) {
    mistake.variants.push_back(
        variant([stride](const Product& p, std::size_t i, std::size_t j) { return stored_with(p, p.*stride, i, j); }));
  }
  return mistake;
}

std::size_t blocks(std::size_t length, std::size_t side) { return (length + side - 1) / side; }

// Elements are right where `covered` holds, and unwritten elsewhere. Unknown if the mistake cannot apply to this launch.
template <class Applies, class Covered>
judge::Variant covering(Applies applies, Covered covered) {
  return variant([applies, covered](const Product& p, std::size_t i, std::size_t j) {
    if (!applies(p)) return Guess{};
    return covered(p, i, j) ? p.right(i, j) : unwritten;
  });
}

Mistake grid_axes_swapped() {
  return {"grid-axes-swapped",
          "The x and y axes of the grid are exchanged: where C is not square, there are no threads for a part of it.",
          "Which axis of the grid runs along a row of C? Compare the launch function with the kernel.",
          {covering([](const Product& p) { return p.grid_x == blocks(p.M, p.block_x) && p.grid_y == blocks(p.N, p.block_y); },
                    [](const Product& p, std::size_t i, std::size_t j) { return j < p.grid_x * p.block_x && i < p.grid_y * p.block_y; }),
           covering([](const Product& p) { return p.grid_x == blocks(p.N, p.block_x) && p.grid_y == blocks(p.M, p.block_y); },
                    [](const Product& p, std::size_t i, std::size_t j) { return i < p.grid_x * p.block_x && j < p.grid_y * p.block_y; })}};
}

// If there are enough threads, missing whole tiles are not the explanation.
bool too_few_threads(const Product& p) { return p.grid_x * p.block_x < p.N || p.grid_y * p.block_y < p.M; }

bool any_launch(const Product&) { return true; }

// A matrix smaller than a tile still gets one tile; with no tile, the launch would have failed.
std::size_t in_full_tiles(std::size_t length, std::size_t tile) { return length < tile ? length : length / tile * tile; }

Mistake edge_unwritten() {
  Mistake mistake{
      "edge-unwritten",
      "The last rows or columns of C are never written.",
      "Count the blocks: do they cover all of C when its size is not a multiple of the block's size? Then check the condition that "
      "stops threads.",
      {}};
  const auto covers = [&mistake](auto applies, auto covered) { mistake.variants.push_back(covering(applies, covered)); };
  for (std::size_t choice = 0; choice < tile_choices; ++choice) {
    const auto wide = [choice](const Product& p, std::size_t, std::size_t j) { return j < in_full_tiles(p.N, p.tiles[choice]); };
    const auto high = [choice](const Product& p, std::size_t i, std::size_t) { return i < in_full_tiles(p.M, p.tiles[choice]); };
    covers(too_few_threads, wide);
    covers(too_few_threads, high);
    covers(too_few_threads, [wide, high](const Product& p, std::size_t i, std::size_t j) { return wide(p, i, j) && high(p, i, j); });
  }
  covers(too_few_threads, [](const Product& p, std::size_t i, std::size_t j) {
    return i < in_full_tiles(p.M, p.block_y) && j < in_full_tiles(p.N, p.block_x);
  });
  covers(any_launch, [](const Product& p, std::size_t, std::size_t j) { return j + 1 < p.N; });
  covers(any_launch, [](const Product& p, std::size_t i, std::size_t) { return i + 1 < p.M; });
  covers(any_launch, [](const Product& p, std::size_t i, std::size_t j) { return i + 1 < p.M && j + 1 < p.N; });
  return mistake;
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all{
      last_products_missing(), first_product_missing(), not_accumulated(),  sum_of_another_length(), stale_tile(),
      edge_repeated(),         low_precision(),         whole_number_sum(), transposed(true),        transposed(false),
      both_transposed(),       operands_swapped(),      row_length(true),   row_length(false),       next_row_used(),
      square_only(),           c_transposed(),          c_row_length(),     grid_axes_swapped(),     edge_unwritten()};
  return all;
}

}  // namespace tilelab::matmul
