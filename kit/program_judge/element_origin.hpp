// Where each element of a launcher's result came from: from a kernel, or from the host.
//
// Not every right result is a kernel's to its last byte: a launcher may fill an output with cudaMemset and let a kernel write a part, or
// copy an input to it whose edge no kernel changes. What else the host put there, it computed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "operands/operand.hpp"
#include "program_judge/operand_files.hpp"

namespace tilelab::judge {

// The first element that the host put there. Looks at `operands[index]`, a result.
std::optional<std::size_t> first_from_the_host(const std::vector<const Operand*>& operands, const std::vector<OperandContent>& contents,
                                               std::size_t index);

// What the result holds; unwritten_value() for elements that nobody wrote. Elements that may hold anything are as they should be.
std::vector<double> result_values(const Operand& result, const OperandContent& content);

}  // namespace tilelab::judge
