// Helpers that define a variant of a mistake: the value that it gives one element of C, for every possible tile size.
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "judge/mistake.hpp"
#include "problems/matmul_product.hpp"

namespace tilelab::matmul {

inline constexpr judge::Guess unwritten{judge::Guess::State::unwritten, 0, 0};
inline constexpr std::size_t tile_choices = std::tuple_size_v<decltype(Product::tiles)>;

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

}  // namespace tilelab::matmul
