// Whether two launches left the same numbers in a buffer. The launches differ only in the order of blocks and threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "checker/buffer_content.hpp"

namespace tilelab::checker {

struct OrderDifference {
  std::size_t element = 0;  // index of the first that differs
  std::string first, other;
  std::size_t elements = 0;  // how many differ
};

// Floating-point numbers may differ by rounding, because additions run in another order: by 1 in 1,000 (a half: 1 in 50).
std::optional<OrderDifference> compare_orders(const BufferShape& shape, std::span<const std::byte> first, std::span<const std::byte> other);

}  // namespace tilelab::checker
