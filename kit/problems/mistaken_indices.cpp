// Mistakes in the indices of A and B.
#include "problems/matmul_mistakes.hpp"

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
                  "A is used with row and column exchanged.",
                  "Say aloud for one element of A which index counts rows and which counts columns, at the load and at every later use.",
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
                  "B is used with row and column exchanged.",
                  "Say aloud for one element of B which index counts rows and which counts columns, at the load and at every later use.",
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
                  "The tiles of A and of B are both used with row and column exchanged.",
                  "Which of a thread's two indices counts rows of a tile when it is filled, and which when it is read?",
                  {}};
  for_each_tile(mistake.variants, [](const Product& p, std::size_t tile, std::size_t i, std::size_t j) {
    const std::size_t end = (p.K + tile - 1) / tile * tile;
    return p.sum(0, end, [&](std::size_t k) { return a_turned(p, i, k, tile); }, [&](std::size_t k) { return b_turned(p, k, j, tile); });
  });
  return mistake;
}

Mistake operands_swapped() {
  return {"operands-swapped",
          "This is B·A, not A·B.",
          "Which matrix gives the row of each product, and which the column?",
          {variant([](const Product& p, std::size_t i, std::size_t j) {
            Guess guess = p.sum(0, p.K, [&](std::size_t k) { return k * p.K + j; }, [&](std::size_t k) { return i * p.N + k; });
            return p.M == p.K && p.K == p.N ? guess : Guess{};
          })}};
}

Mistake a_row_length() {
  Mistake mistake{"a-row-length",
                  "Rows of A are taken to be as long as another matrix's, so that only some shapes come out right.",
                  "How many elements of A lie between one row and the next? Check it with a matrix whose sides all differ.",
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
                  "Rows of B are taken to be as long as another matrix's, so that only some shapes come out right.",
                  "How many elements of B lie between one row and the next? Check it with a matrix whose sides all differ.",
                  {}};
  for (const auto stride : {&Product::M, &Product::K}) {
    mistake.variants.push_back(variant([stride](const Product& p, std::size_t i, std::size_t j) {
      return p.sum(0, p.K, [&](std::size_t k) { return i * p.K + k; }, [&](std::size_t k) { return k * p.*stride + j; });
    }));
  }
  return mistake;
}

Mistake square_only() {
  Mistake mistake{"square-only",
                  "One size stands for all three, so that only square matrices come out right.",
                  "Go through every use of a size, in indices, bounds and the launch: is it a number of rows, of columns, or of products?",
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
  return {a_transposed(), b_transposed(), both_transposed(), operands_swapped(), a_row_length(), b_row_length(), square_only()};
}

}  // namespace tilelab::matmul
