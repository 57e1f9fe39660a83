// What the elements of an output hold before a launch, so that an element which nobody wrote is known afterwards.
//
// For floating types it is a quiet NaN that no computation makes. An integer type has no such pattern: where a result holds it by
// chance, only a second launch with the other pattern can tell.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "operands/operand.hpp"

namespace tilelab::judge {

enum class Fill {
  telling,  // NaN, or 0xC5 in every byte
  other     // 0x42 in every byte: 48.6 as a float
};

// The bytes of a buffer before the launch. Throws std::logic_error if an inout has not as many values as expected ones.
std::vector<std::byte> content_before(const Operand& buffer, Fill fill);

// What a result holds after the launch; unwritten_value() where an output still holds the fill and should not.
std::vector<double> content_after(const Operand& result, std::span<const std::byte> bytes, Fill fill);

// Whether an element of an output is right, and would be if nobody had written it.
bool is_right_by_chance(const Operand& output, std::span<const std::byte> bytes, Fill fill);

// A NaN that stands for an element that was never written.
double unwritten_value();
bool is_unwritten(double value);

}  // namespace tilelab::judge
