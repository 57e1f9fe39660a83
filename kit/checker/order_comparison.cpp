#include "checker/order_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "simt/arithmetic/half_bits.hpp"

namespace tilelab::checker {
namespace {

constexpr double float_tolerance = 1e-3, half_tolerance = 2e-2;

template <typename Number>
Number read(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

double floating_at(const std::byte* at, std::size_t bytes) {
  if (bytes == 2) return simt::half_value(read<std::uint16_t>(at));
  return bytes == 4 ? read<float>(at) : read<double>(at);
}

std::string number_at(const std::byte* at, const Leaf& leaf) {
  std::ostringstream text;
  if (leaf.kind == NumberKind::floating) {
    text << floating_at(at, leaf.bytes);
    return text.str();
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, leaf.bytes);  // little-endian
  const unsigned unused = 64 - 8 * static_cast<unsigned>(leaf.bytes);
  if (leaf.kind == NumberKind::signed_integer)
    text << (static_cast<std::int64_t>(bits << unused) >> unused);
  else
    text << bits;
  return text.str();
}

bool alike(const std::byte* first, const std::byte* other, const Leaf& leaf) {
  if (std::memcmp(first, other, leaf.bytes) == 0) return true;
  if (leaf.kind != NumberKind::floating) return false;
  const double a = floating_at(first, leaf.bytes), b = floating_at(other, leaf.bytes);
  const double tolerance = leaf.bytes == 2 ? half_tolerance : float_tolerance;
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

std::optional<OrderDifference> compare_orders(const BufferShape& shape, std::span<const std::byte> first,
                                              std::span<const std::byte> other) {
  OrderDifference difference;
  const std::size_t elements = std::min({shape.elements, first.size() / shape.element_bytes, other.size() / shape.element_bytes});
  for (std::size_t element = 0; element < elements; ++element) {
    const std::byte *one = first.data() + element * shape.element_bytes, *two = other.data() + element * shape.element_bytes;
    const auto differs = std::find_if(shape.leaves.begin(), shape.leaves.end(),
                                      [&](const Leaf& leaf) { return !alike(one + leaf.offset, two + leaf.offset, leaf); });
    if (differs == shape.leaves.end()) continue;
    if (difference.elements++ != 0) continue;
    difference.element = element;
    difference.first = number_at(one + differs->offset, *differs);
    difference.other = number_at(two + differs->offset, *differs);
  }
  if (difference.elements == 0) return std::nullopt;
  return difference;
}

}  // namespace tilelab::checker
