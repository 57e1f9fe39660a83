// Whether two launches, alike but for the order of blocks and threads, left the same numbers in a buffer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "checker/buffer_content.hpp"

namespace tilelab::checker {

struct OrderDifference {
  std::size_t element = 0;  // the first that differs
  std::string first, other;
  std::size_t elements = 0;  // how many differ
};

// Floating-point numbers may differ by what rounding makes of another order of additions: 1 in 1,000 (a half: 1 in 50).
std::optional<OrderDifference> compare_orders(const BufferShape& shape, std::span<const std::byte> first, std::span<const std::byte> other);

}  // namespace tilelab::checker
