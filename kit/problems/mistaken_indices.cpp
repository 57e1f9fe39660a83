// Mistakes in the indices of A and B.
#include "problems/matmul_mistakes.hpp"

#include <algorithm>

#include "problems/matmul_variant.hpp"

namespace tilelab::matmul {
namespace {

using judge::Guess;
using judge::Mistake;

std::size_t a_turned(const Product& p, std::size_t i, std::size_t k, std::size_t tile) {
  const Turned at(i, k, tile);
  return at.row < p.M && at.column < p.K ? at.row * p.K + at.column : Product::zero;
}

std::size_t b_turned(const Product& p, std::size_t k, std::size_t j, std::size_t tile) {
  const Turned at(k, j, tile);
  return at.row < p.K && at.column < p.N ? at.row * p.N + at.column : Product::zero;
}

Mistake a_transposed() {
  Mistake mistake{"a-transposed",
                  "The kernel uses A with row and column exchanged.",
                  "Take one element of A. Which index is its row and which its column, at the load and at every later use?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    return p.sum(0, p.K, [&](std::size_t k) { return a_turned(p, i, k, tile); }, [&](std::size_t k) { return k * p.N + j; });
  });
  for (const auto stride : {&Product::M, &Product::K}) {
    mistake.variants.push_back(variant([stride](const Product& p, std::size_t i, std::size_t j) {
      return p.sum(0, p.K, [&](std::size_t k) { return k * p.*stride + i; }, [&](std::size_t k) { return k * p.N + j; });
    }));
  }
  return mistake;
}

Mistake b_transposed() {
  Mistake mistake{"b-transposed",
                  "The kernel uses B with row and column exchanged.",
                  "Take one element of B. Which index is its row and which its column, at the load and at every later use?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    return p.sum(0, p.K, [&](std::size_t k) { return i * p.K + k; }, [&](std::size_t k) { return b_turned(p, k, j, tile); });
  });
  for (const auto stride : {&Product::K, &Product::N}) {
    mistake.variants.push_back(variant([stride](const Product& p, std::size_t i, std::size_t j) {
      return p.sum(0, p.K, [&](std::size_t k) { return i * p.K + k; }, [&](std::size_t k) { return j * p.*stride + k; });
    }));
  }
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

Mistake a_row_length() {
  Mistake mistake{"a-row-length",
                  "The kernel uses the row length of another matrix for A, so only some shapes come out right.",
                  "How many elements does one row of A have? Check your index with sizes M, N and K that all differ.",
                  {}};
  for (const auto stride : {&Product::M, &Product::N}) {
    mistake.variants.push_back(variant([stride](const Product& p, std::size_t i, std::size_t j) {
      return p.sum(0, p.K, [&](std::size_t k) { return i * p.*stride + k; }, [&](std::size_t k) { return k * p.N + j; });
    }));
  }
  return mistake;
}

Mistake b_row_length() {
  Mistake mistake{"b-row-length",
                  "The kernel uses the row length of another matrix for B, so only some shapes come out right.",
                  "How many elements does one row of B have? Check your index with sizes M, N and K that all differ.",
                  {}};
  for (const auto stride : {&Product::M, &Product::K}) {
    mistake.variants.push_back(variant([stride](const Product& p, std::size_t i, std::size_t j) {
      return p.sum(0, p.K, [&](std::size_t k) { return i * p.K + k; }, [&](std::size_t k) { return k * p.*stride + j; });
    }));
  }
  return mistake;
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

}  // namespace

std::vector<judge::Mistake> mistakes_in_indices() {
  return {a_transposed(), b_transposed(), both_transposed(), operands_swapped(),
          a_row_length(), b_row_length(), next_row_used(),   square_only()};
}

}  // namespace tilelab::matmul
