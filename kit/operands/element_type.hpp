// The types that elements of a buffer and numbers of a kernel may have, their names in CUDA, and how their bytes are read and written.
// Problems compute in double. So a 64-bit integer may be at most 2^53 here.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tilelab {

enum class ElementType { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

std::string_view cuda_name(ElementType type);  // "float", "__half", "unsigned char": as findings show it
std::size_t bytes_of(ElementType type);        // of one element
bool is_floating(ElementType type);

// The bytes of these numbers, little-endian. Floating types round to nearest even; an infinity or NaN stays one. Throws
// std::logic_error for a number that an integer type cannot hold.
std::vector<std::byte> encoded(ElementType type, std::span<const double> values);

// What the bytes mean. Throws std::logic_error if they are no whole number of elements.
std::vector<double> decoded(ElementType type, std::span<const std::byte> bytes);

// The distance from the type's number nearest to `value` to the next one away from zero; 1 for integers. In the range of subnormal
// numbers it is the smallest of them.
double unit_in_last_place(ElementType type, double value);

}  // namespace tilelab
