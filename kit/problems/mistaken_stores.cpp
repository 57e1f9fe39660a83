// Mistakes in which elements of C are written, and where.
#include "problems/matmul_mistakes.hpp"

#include "problems/matmul_variant.hpp"

namespace tilelab::matmul {
namespace {

using judge::Guess;
using judge::Mistake;

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

std::vector<judge::Mistake> mistakes_in_stores() { return {c_transposed(), c_row_length(), grid_axes_swapped(), edge_unwritten()}; }

}  // namespace tilelab::matmul
