// Mistakes in which products are summed, and how exactly.
#include "problems/matmul_mistakes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "problems/matmul_variant.hpp"

namespace tilelab::matmul {
namespace {

using judge::Guess;
using judge::Mistake;

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

}  // namespace

std::vector<judge::Mistake> mistakes_in_sums() {
  return {last_products_missing(), first_product_missing(), not_accumulated(), sum_of_another_length(), stale_tile(),
          edge_repeated(),         low_precision(),         whole_number_sum()};
}

}  // namespace tilelab::matmul
