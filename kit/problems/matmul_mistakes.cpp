// Each mistake is what its kernel would compute for an element of C. They come in three groups: which products are summed and how exactly,
// the indices of A and B, and which elements of C are written and where.
#include "problems/matmul.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tilelab::matmul {
namespace {

using judge::Guess;
using judge::Mistake;
using judge::unwritten;
using judge::Variant;
using Index = std::size_t;

constexpr double rounding = 0x1p-24;  // u of fp32

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
        exact(trial.operands[2].expectation.bounds.empty()), block_x(std::clamp(config.block.x, 1u, judge::largest_block_side)),
        block_y(std::clamp(config.block.y, 1u, judge::largest_block_side)), grid_x(config.grid.x), grid_y(config.grid.y) {
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

constexpr std::size_t tile_choices = std::tuple_size_v<decltype(Product::tiles)>;

template <class Element>
Variant variant(Element element) {
  return judge::variant_of<Product>(element);
}

// One variant for each possible tile side. `element` is a function of a product, that side, row and column.
template <class Element>
std::vector<Variant> tiled(Element element) {
  std::vector<Variant> all;
  for (Index choice = 0; choice < tile_choices; ++choice)
    all.push_back(variant([element, choice](const Product& p, Index i, Index j) { return element(p, p.tiles[choice], i, j); }));
  return all;
}

// One for each of these sizes or numbers. `element` is a function of a product, that one, row and column.
template <class One, class Element>
std::vector<Variant> with_each(std::initializer_list<One> ones, Element element) {
  std::vector<Variant> all;
  for (const One one : ones) all.push_back(variant([element, one](const Product& p, Index i, Index j) { return element(p, one, i, j); }));
  return all;
}

std::vector<Variant> joined(std::initializer_list<std::vector<Variant>> parts) {
  std::vector<Variant> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The element's indices after the two coordinates within its tile are exchanged.
struct Turned {
  Index row, column;
  Turned(Index i, Index j, Index tile) : row(i / tile * tile + j % tile), column(j / tile * tile + i % tile) {}
};

// --- Which products are summed, and how exactly.

// C[i][j] with additional products from a last tile that K does not fill: for k past K it adds A[i][index(k)] · B[index(k)][j].
template <class Of>
Guess with_more(const Product& p, Index tile, Index i, Index j, Of index) {
  const Index full = p.K / tile * tile;
  if (full == p.K) return p.right(i, j);
  const auto source = [&](Index k) { return k < p.K ? k : index(k); };
  return p.sum(0, full + tile, [&](Index k) { return i * p.K + source(k); }, [&](Index k) { return source(k) * p.N + j; });
}

// Keeps `bits` bits of the fraction. Rounds to nearest with ties to even, or cuts the rest off.
float shortened(float value, int bits, bool cut) {
  const std::uint32_t step = 1u << (23 - bits), word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t up = cut ? 0 : step / 2 - 1 + ((word / step) & 1);
  return std::bit_cast<float>((word + up) & ~(step - 1));
}

// The factors are rounded, and the sum stays in fp32.
Guess of_short_factors(const Product& p, Index i, Index j, int bits, bool cut) {
  double total = 0, magnitude = 0;
  for (Index k = 0; k < p.K; ++k) {
    const double product = static_cast<double>(shortened(p.A[i * p.K + k], bits, cut)) * shortened(p.B[k * p.N + j], bits, cut);
    total += product;
    magnitude += std::abs(product);
  }
  return p.value(total, magnitude, p.K);
}

// Factors and sum are rounded; the sum after each product, from the first k to the last.
Guess of_short_sums(const Product& p, Index i, Index j, int bits, bool fused) {
  float sum = 0;
  for (Index k = 0; k < p.K; ++k) {
    const float a = shortened(p.A[i * p.K + k], bits, false), b = shortened(p.B[k * p.N + j], bits, false);
    const float product = fused ? a * b : shortened(a * b, bits, false);
    sum = shortened(sum + product, bits, false);
  }
  return {Guess::State::value, sum, 0.0};
}

// TF32 and half have 10 bits of fraction; bfloat16 has 7.
std::vector<Variant> of_few_digits() {
  std::vector<Variant> all;
  for (const int bits : {10, 7}) {
    for (const bool other : {false, true}) {
      all.push_back(variant([bits, other](const Product& p, Index i, Index j) { return of_short_factors(p, i, j, bits, other); }));
      all.push_back(variant([bits, other](const Product& p, Index i, Index j) { return of_short_sums(p, i, j, bits, other); }));
    }
  }
  return all;
}

// The sum, and in another variant each product too, is kept in a variable of an integer type: what follows the point is cut off, after so
// many products each time.
template <bool products>
Guess of_whole_numbers(const Product& p, Index part, Index i, Index j) {
  double sum = 0, kept = 0;
  for (Index k = 0; k < p.K; ++k) {
    const double product = static_cast<double>(p.A[i * p.K + k]) * p.B[k * p.N + j];
    sum += products ? std::trunc(product) : product;
    if ((k + 1) % part == 0 || k + 1 == p.K) {
      kept = std::trunc(kept + sum);
      sum = 0;
    }
  }
  return {Guess::State::value, kept, 0.0};
}

// --- The indices of A and B.

Index a_turned(const Product& p, Index i, Index k, Index tile) {
  const Turned at(i, k, tile);
  return at.row < p.M && at.column < p.K ? at.row * p.K + at.column : Product::zero;
}

Index b_turned(const Product& p, Index k, Index j, Index tile) {
  const Turned at(k, j, tile);
  return at.row < p.K && at.column < p.N ? at.row * p.N + at.column : Product::zero;
}

using Size = Index Product::*;

// The kernel reads its element of A at `index(row, column)`, or that of B; the other matrix is read as it should be.
template <class Of>
Guess reading(bool of_a, const Product& p, Index i, Index j, Of index) {
  return p.sum(
      0, p.K, [&](Index k) { return of_a ? index(i, k) : i * p.K + k; }, [&](Index k) { return of_a ? k * p.N + j : index(k, j); });
}

Mistake transposed(bool of_a) {
  const std::string matrix = of_a ? "A" : "B";
  return {of_a ? "a-transposed" : "b-transposed", "The kernel uses " + matrix + " with row and column exchanged.",
          "Take one element of " + matrix + ". Which index is its row and which its column, at the load and at every later use?",
          joined({tiled([of_a](const Product& p, Index tile, Index i, Index j) {
                    return reading(of_a, p, i, j, [&](Index row, Index column) {
                      return of_a ? a_turned(p, row, column, tile) : b_turned(p, row, column, tile);
                    });
                  }),
                  with_each<Size>({of_a ? &Product::M : &Product::K, of_a ? &Product::K : &Product::N},
                                  [of_a](const Product& p, Size stride, Index i, Index j) {
                                    return reading(of_a, p, i, j, [&](Index row, Index column) { return column * p.*stride + row; });
                                  })})};
}

Mistake row_length(bool of_a) {
  const std::string matrix = of_a ? "A" : "B";
  return {of_a ? "a-row-length" : "b-row-length",
          "The kernel uses the row length of another matrix for " + matrix + ", so only some shapes come out right.",
          "How many elements does one row of " + matrix + " have? Check your index with sizes M, N and K that all differ.",
          with_each<Size>({&Product::M, of_a ? &Product::N : &Product::K}, [of_a](const Product& p, Size stride, Index i, Index j) {
            return reading(of_a, p, i, j, [&](Index row, Index column) { return row * p.*stride + column; });
          })};
}

// --- Which elements of C are written, and where.

Index blocks(Index length, Index side) { return (length + side - 1) / side; }

// Elements are right where `covered` holds, and unwritten elsewhere. Unknown if the mistake cannot apply to this launch.
template <class Covered>
Variant covering(bool (*applies)(const Product&), Covered covered) {
  return variant([applies, covered](const Product& p, Index i, Index j) {
    if (!applies(p)) return Guess{};
    return covered(p, i, j) ? p.right(i, j) : unwritten;
  });
}

// If there are enough threads, missing whole tiles are not the explanation.
bool too_few_threads(const Product& p) { return p.grid_x * p.block_x < p.N || p.grid_y * p.block_y < p.M; }

bool any_launch(const Product&) { return true; }

// A matrix smaller than a tile still gets one tile; with no tile, the launch would have failed.
Index in_full_tiles(Index length, Index tile) { return length < tile ? length : length / tile * tile; }

std::vector<Variant> edges() {
  std::vector<Variant> all;
  for (Index choice = 0; choice < tile_choices; ++choice) {
    const auto wide = [choice](const Product& p, Index, Index j) { return j < in_full_tiles(p.N, p.tiles[choice]); };
    const auto high = [choice](const Product& p, Index i, Index) { return i < in_full_tiles(p.M, p.tiles[choice]); };
    all.push_back(covering(too_few_threads, wide));
    all.push_back(covering(too_few_threads, high));
    all.push_back(covering(too_few_threads, [wide, high](const Product& p, Index i, Index j) { return wide(p, i, j) && high(p, i, j); }));
  }
  all.push_back(covering(too_few_threads, [](const Product& p, Index i, Index j) {
    return i < in_full_tiles(p.M, p.block_y) && j < in_full_tiles(p.N, p.block_x);
  }));
  all.push_back(covering(any_launch, [](const Product& p, Index, Index j) { return j + 1 < p.N; }));
  all.push_back(covering(any_launch, [](const Product& p, Index i, Index) { return i + 1 < p.M; }));
  all.push_back(covering(any_launch, [](const Product& p, Index i, Index j) { return i + 1 < p.M && j + 1 < p.N; }));
  return all;
}

std::vector<Mistake> all_mistakes() {
  return {
      {"last-products-missing", "The last products of each sum are missing: the loop over k ends before K.",
       "Work out on paper how many passes the loop makes when K is not a multiple of its step.",
       joined({tiled([](const Product& p, Index tile, Index i, Index j) { return p.part(i, j, 0, p.K / tile * tile); }),
               tiled([](const Product& p, Index tile, Index i, Index j) { return p.part(i, j, 0, std::min(tile, p.K)); }),
               {variant([](const Product& p, Index i, Index j) { return p.part(i, j, 0, p.K - 1); })}})},
      {"first-product-missing",
       "The first product of each sum is missing.",
       "With which k does the loop begin, and what is the index of the first element of a row?",
       {variant([](const Product& p, Index i, Index j) { return p.part(i, j, 1, p.K); })}},
      {"not-accumulated", "Each sum holds only its last part: the part before it was overwritten or reset.",
       "Follow the variable that holds the sum through two passes of the loop: where is it set, and where is it added to?",
       joined({tiled([](const Product& p, Index tile, Index i, Index j) { return p.part(i, j, (p.K - 1) / tile * tile, p.K); }),
               {variant([](const Product& p, Index i, Index j) { return p.part(i, j, p.K - 1, p.K); })}})},
      {"sum-length", "Each sum has the wrong number of products: M or N instead of K.",
       "Which of M, N and K is the number of products in one element of C?",
       with_each<Size>({&Product::M, &Product::N},
                       [](const Product& p, Size length, Index i, Index j) { return p.part(i, j, 0, p.*length); })},
      {"stale-tile", "In the last pass the tiles still hold old elements beyond the end of K, and the kernel adds them to the sum.",
       "What is in a shared element that no thread loads in the last pass, and which value would add nothing to the sum?",
       tiled([](const Product& p, Index tile, Index i, Index j) {
         if (p.K < tile) return p.right(i, j);  // there is no earlier tile
         return with_more(p, tile, i, j, [&](Index k) { return k - tile; });
       })},
      {"edge-repeated", "The kernel adds the last product of each sum more than once: beyond the end of K it loads the last element again.",
       "Limiting an index to the matrix makes the load safe. But what does the loaded element do to the sum?",
       tiled([](const Product& p, Index tile, Index i, Index j) { return with_more(p, tile, i, j, [&](Index) { return p.K - 1; }); })},
      {"low-precision", "Numbers are rounded to fewer digits than a float has, as with half precision or the formats of tensor cores.",
       "Find every place where a number is converted or packed. Factors and sums must be float everywhere.", of_few_digits()},
      {"whole-number-sum",
       "The kernel cuts off everything after the decimal point: somewhere a product or a sum is kept as a whole number.",
       "Which type does each variable have that a product or a sum passes through, up to the store?",
       joined({with_each<Index>({1, Index{1} << 30}, of_whole_numbers<false>),  // cut off after each product, or at the end
               with_each<Index>({1, Index{1} << 30}, of_whole_numbers<true>), tiled(of_whole_numbers<false>)})},
      transposed(true),
      transposed(false),
      {"tiles-transposed", "The kernel uses the tiles of A and of B with row and column exchanged.",
       "Which of a thread's two indices is the row of the tile when the thread writes it, and which when the thread reads it?",
       tiled([](const Product& p, Index tile, Index i, Index j) {
         const Index end = (p.K + tile - 1) / tile * tile;
         return p.sum(0, end, [&](Index k) { return a_turned(p, i, k, tile); }, [&](Index k) { return b_turned(p, k, j, tile); });
       })},
      {"operands-swapped",
       "The kernel computes B·A, not A·B.",
       "Which matrix must give the row, and which must give the column, for one element of C?",
       {variant([](const Product& p, Index i, Index j) {
         Guess guess = p.sum(0, p.K, [&](Index k) { return k * p.K + j; }, [&](Index k) { return i * p.N + k; });
         return p.M == p.K && p.K == p.N ? guess : Guess{};
       })}},
      row_length(true),
      row_length(false),
      // Past the end of row i, the flat index i * K + k is that of the next row. B's zeros hide its elements only if they are finite.
      {"next-row-used",
       "A row of C is NaN or infinite, although its row of A and the columns of B hold only finite numbers: its threads used elements of "
       "the next row of A.",
       "Zero times Inf is NaN. A guard on the flat index, as in row * K + a < M * K, does not stop at the end of a row: behind it the next "
       "row begins. Which column of A does a thread ask for, and how many columns are there?",
       tiled([](const Product& p, Index tile, Index i, Index j) {
         const Index end = std::min((i + 1) * p.K + (tile - p.K % tile) % tile, p.A.size());
         Guess guess = p.right(i, j);
         for (Index next = (i + 1) * p.K; next < end; ++next) guess.value += 0.0 * static_cast<double>(p.A[next]);
         return guess;
       })},
      {"square-only", "The kernel uses one size instead of all three, so only square matrices come out right.",
       "Look at every use of a size, in indices, bounds and the launch: is it a number of rows, of columns or of products?",
       with_each<Size>({&Product::M, &Product::N, &Product::K},
                       [](const Product& p, Size size, Index i, Index j) {
                         const Index n = p.*size, row = (i * p.N + j) / n, column = (i * p.N + j) % n;
                         if (row >= n) return unwritten;
                         return p.sum(0, n, [&](Index k) { return row * n + k; }, [&](Index k) { return k * n + column; });
                       })},
      {"c-transposed", "The values are right, but row and column of C are exchanged.",
       "Which of a thread's two indices is the row of its element of C, in the sum and in the store?",
       joined({tiled([](const Product& p, Index tile, Index i, Index j) {
                 const Turned from(i, j, tile);
                 return from.row < p.M && from.column < p.N ? p.right(from.row, from.column) : Guess{};
               }),
               // The kernel stores as if C were N×M: row and column are exchanged, and the row length too.
               {variant([](const Product& p, Index i, Index j) {
                  const Index at = i * p.N + j;
                  return p.right(at % p.M, at / p.M);
                }),
                variant([](const Product& p, Index i, Index j) {
                  if (p.M > p.N) return Guess{};  // two threads store to the same place
                  return j < p.M && i < p.N ? p.right(j, i) : unwritten;
                })}})},
      {"c-row-length", "The kernel stores C with the row length of another matrix.",
       "How many elements does one row of C have? Check your index with sizes M, N and K that all differ.",
       with_each<Size>({&Product::M, &Product::K},
                       [](const Product& p, Size stride, Index i, Index j) {
                         const Index length = p.*stride, row = (i * p.N + j) / length, column = (i * p.N + j) % length;
                         if (length < p.N) return Guess{};  // rows overlap: the last thread that writes wins
                         return column < p.N && row < p.M ? p.right(row, column) : unwritten;
                       })},
      {"grid-axes-swapped",
       "The x and y axes of the grid are exchanged: where C is not square, there are no threads for a part of it.",
       "Which axis of the grid runs along a row of C? Compare the launch function with the kernel.",
       {covering([](const Product& p) { return p.grid_x == blocks(p.M, p.block_x) && p.grid_y == blocks(p.N, p.block_y); },
                 [](const Product& p, Index i, Index j) { return j < p.grid_x * p.block_x && i < p.grid_y * p.block_y; }),
        covering([](const Product& p) { return p.grid_x == blocks(p.N, p.block_x) && p.grid_y == blocks(p.M, p.block_y); },
                 [](const Product& p, Index i, Index j) { return i < p.grid_x * p.block_x && j < p.grid_y * p.block_y; })}},
      {"edge-unwritten", "The last rows or columns of C are never written.",
       "Count the blocks: do they cover all of C when its size is not a multiple of the block's size? Then check the condition that stops "
       "threads.",
       edges()}};
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = all_mistakes();
  return all;
}

}  // namespace tilelab::matmul
