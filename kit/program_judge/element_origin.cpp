#include "program_judge/element_origin.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "operands/fill.hpp"

namespace tilelab::judge {
namespace {

constexpr unsigned char unset = 0, by_kernel = 2;
constexpr std::size_t few_elements = 4;  // so many may hold any value that cudaMemset makes only if it is a usual one

bool may_be_anything(const Operand& result, std::size_t element) {
  return !result.expectation.bounds.empty() && std::isinf(result.expectation.bounds[element]);
}

bool is_copy_of_an_input(const std::vector<const Operand*>& operands, const std::vector<OperandContent>& contents, std::size_t result,
                         std::size_t at, std::size_t bytes) {
  const std::byte* const found = contents[result].after.data() + at;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]->is_buffer() || operands[i]->kind == Operand::Kind::output || bytes_of(operands[i]->type) != bytes) continue;
    const auto& before = contents[i].before;
    if (at + bytes <= before.size() && std::memcmp(before.data() + at, found, bytes) == 0) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> first_from_the_host(const std::vector<const Operand*>& operands, const std::vector<OperandContent>& contents,
                                               std::size_t index) {
  const Operand& result = *operands[index];
  const OperandContent& content = contents[index];
  const std::size_t bytes = bytes_of(result.type), size = content.after.size() / bytes;
  std::optional<std::byte> filled;
  for (std::size_t i = 0; i < size; ++i) {
    const auto origins = content.origins.begin() + static_cast<std::ptrdiff_t>(i * bytes),
               end = origins + static_cast<std::ptrdiff_t>(bytes);
    if (may_be_anything(result, i) || std::all_of(origins, end, [](unsigned char one) { return one == by_kernel; })) continue;
    if (is_copy_of_an_input(operands, contents, index, i * bytes, bytes)) continue;
    const auto first = content.after.begin() + static_cast<std::ptrdiff_t>(i * bytes), last = first + static_cast<std::ptrdiff_t>(bytes);
    const std::byte value = filled.value_or(*first);
    const bool is_usual = size >= few_elements || value == std::byte{0} || value == std::byte{0xFF};
    if (!is_usual || std::any_of(first, last, [&](std::byte one) { return one != value; })) return i;
    filled = value;
  }
  return std::nullopt;
}

std::vector<double> result_values(const Operand& result, const OperandContent& content) {
  std::vector<double> values = content_after(result, content.after, Fill::telling);
  const std::size_t bytes = bytes_of(result.type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto first = content.origins.begin() + static_cast<std::ptrdiff_t>(i * bytes);
    if (may_be_anything(result, i))
      values[i] = result.expectation.values[i];
    else if (std::all_of(first, first + static_cast<std::ptrdiff_t>(bytes), [](unsigned char one) { return one == unset; }))
      values[i] = unwritten_value();
  }
  return values;
}

}  // namespace tilelab::judge
